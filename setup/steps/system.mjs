// @ts-check
// Compiler, make, cmake, and a Python with headers, venv and shared library.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findPython, sourcedRos } from '../lib/context.mjs';

/** @returns {string[]} Debian package names of what is missing */
function missingPackages() {
  const onPath = (/** @type {string} */ tool) => (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${tool}`));
  const missing = [];
  if (!onPath('gcc') || !onPath('g++')) missing.push('g++');
  if (!onPath('make')) missing.push('make');
  if (!onPath('cmake')) missing.push('cmake');
  const python = findPython();
  if (!python) return [...missing, 'python3', 'python3-dev', 'python3-venv'];
  if (!python.headers && !sourcedRos()) missing.push('python3-dev');
  if (!python.venv) missing.push('python3-venv');
  if (!python.libpython && process.arch === 'x64') missing.push(`libpython3.${python.minor}`); // Triton's wheel, which embeds it, is for x64
  return missing;
}

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'system',
  title: 'system packages',
  needs: [],
  remedy: 'install the packages named above, then run the same command again',
  inputs: () => ({ missing: missingPackages(), python: findPython() }),
  outputs: () => [],
  async run(run) {
    const missing = missingPackages();
    if (missing.length === 0) return;
    const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
    const apt = spawnSync('apt-get', ['--version']).status === 0;
    if (!apt) throw new Error(`missing: ${missing.join(', ')} (their Debian names)`);
    if (process.getuid?.() !== 0) throw new Error(`missing packages; type: sudo ${install.join(' ')}`);
    process.stdout.write(`     installing with apt: ${missing.join(' ')}\n`);
    await run('apt-get', ['update', '-q']);
    await run('apt-get', install.slice(1), { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    const still = missingPackages();
    if (still.length > 0) throw new Error(`still missing after the installation: ${still.join(', ')}`);
  },
};
