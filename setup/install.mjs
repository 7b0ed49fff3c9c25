// @ts-check
// Copies the compiled node with the packages it needs at run time into an install space.
//   usage: node setup/install.mjs FOLDER      (CMake's install calls it, with a ROS 2 sourced)
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib/context.mjs';
import { putInPlace } from './lib/put-in-place.mjs';

const [destination] = process.argv.slice(2);
if (!destination) throw new Error('usage: node setup/install.mjs FOLDER');

const setup = spawnSync(process.execPath, [path.join(root, 'setup/setup.mjs'), '--only', 'interfaces,build'], { stdio: 'inherit' });
if (setup.status !== 0) process.exit(setup.status ?? 1);

const listed = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root, encoding: 'utf8' });
const folders = listed.stdout.split('\n').filter((line) => line.startsWith(`${root}/node_modules/`));
const isOfPackage = (/** @type {string} */ folder) => (/** @type {string} */ file) => file !== path.join(folder, 'node_modules');

const aside = `${destination}.new`;
rmSync(aside, { recursive: true, force: true });
mkdirSync(aside, { recursive: true });
for (const folder of folders)
  cpSync(folder, path.join(aside, path.relative(root, folder)), { recursive: true, filter: isOfPackage(folder) });
for (const name of ['dist', 'package.json']) cpSync(path.join(root, name), path.join(aside, name), { recursive: true });
putInPlace(aside, destination);
process.stdout.write(`installed: ${folders.length} packages and the node in ${destination}\n`);
