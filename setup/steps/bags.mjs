// @ts-check
// Bags that other tools wrote, for the tests of the replay, and these tools themselves, to read what the replay writes.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { bags, cleanEnvironment, findPython } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

const venv = path.join(bags, 'venv');
const foreign = path.join(bags, 'foreign');

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'bags',
  title: 'bags of other tools',
  needs: ['system'],
  remedy: 'see that the Python package index can be reached, then run the same command again',
  inputs: () => [findPython(), contentsOf('setup/bags')],
  outputs: () => [path.join(venv, 'bin/python'), path.join(foreign, 'truth.json')],
  async run(run) {
    rmSync(bags, { recursive: true, force: true });
    const env = cleanEnvironment();
    const python = path.join(venv, 'bin/python');
    await run(/** @type {import('../lib/context.mjs').Python} */ (findPython()).file, ['-m', 'venv', venv], { env });
    await run(python, ['-m', 'pip', 'install', '-q', '--no-compile', '--no-deps', '-r', 'setup/bags/requirements.txt'], { env });
    await run(python, ['setup/bags/make.py', foreign], { env });
  },
};
