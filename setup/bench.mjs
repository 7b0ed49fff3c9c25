// @ts-check
// npm run bench [-- NAME [ARGUMENT …]], after set-up: benchmark/NAME.ts in the ROS 2 environment.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { environmentFile, root, rosEnvironment } from './lib/context.mjs';

const [name = 'main', ...rest] = process.argv.slice(2);
const file = path.join(root, 'benchmark', `${name}.ts`);
if (existsSync(file)) {
  const env = existsSync(environmentFile) ? rosEnvironment() : process.env;
  const command = [path.join(root, 'setup/run-typescript.mjs'), file, ...rest];
  process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit', cwd: root, env }).status ?? 1;
} else {
  const names = readdirSync(path.join(root, 'benchmark')).flatMap((entry) => (entry.endsWith('.ts') ? [entry.slice(0, -3)] : []));
  process.stderr.write(`no benchmark is named ${name}; there are: ${names.join(', ')}\n`);
  process.exitCode = 2;
}
