// @ts-check
// A real Triton server for CPU, out of a Python wheel, with the Python backend.
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment, findPython, triton } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

const venv = path.join(triton, 'venv');

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'triton',
  title: 'Triton server',
  needs: ['system'],
  remedy: 'see that the Python package index can be reached, then run the same command again',
  inputs: () => [findPython(), contentsOf('setup/triton')],
  outputs: () => [path.join(venv, 'bin/python')],
  unavailable() {
    if (process.arch !== 'x64') return `its wheel is for x86_64, this is ${process.arch}`;
    const header = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport()).header;
    const [major = 0, minor = 0] = (header.glibcVersionRuntime ?? '0').split('.').map(Number);
    if (major < 2 || (major === 2 && minor < 35))
      return `it needs glibc 2.35, this is ${header.glibcVersionRuntime ?? 'another C library'}`;
    const python = findPython()?.minor ?? 0;
    return python >= 10 && python <= 12 ? undefined : 'its wheels fit Python 3.10 to 3.12';
  },
  async run(run) {
    rmSync(triton, { recursive: true, force: true });
    const found = /** @type {import('../lib/context.mjs').Python} */ (findPython());
    const env = cleanEnvironment();
    const python = path.join(venv, 'bin/python');
    await run(found.file, ['-m', 'venv', venv], { env });
    await run(python, ['-m', 'pip', 'install', '-q', '--no-compile', '--no-deps', '-r', 'setup/triton/requirements.txt'], { env });
    const server = path.join(venv, `lib/python3.${found.minor}/site-packages/pytriton/tritonserver`);
    // The stub embeds one version of Python: this venv's.
    const stub = 'triton_python_backend_stub';
    copyFileSync(path.join(server, `python_backend_stubs/3.${found.minor}`, stub), path.join(server, 'backends/python', stub));
    await run(python, ['setup/triton/check.py', server], { env });
  },
};
