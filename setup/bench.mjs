// @ts-check
// npm run bench [-- TOPIC] [OPTION …], after set-up: benchmark/main.ts in the ROS 2 environment.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { environmentFile, root, rosEnvironment } from './lib/context.mjs';

const command = [path.join(root, 'setup/run-typescript.mjs'), path.join(root, 'benchmark/main.ts'), ...process.argv.slice(2)];
const env = existsSync(environmentFile) ? rosEnvironment() : process.env;
process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit', cwd: root, env }).status ?? 1;
