/** The Python client of the plain node: installed when it is first needed, beside what set-up makes. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment, made } from '../setup/lib/context.mjs';
import { contentsOf } from '../setup/lib/stamp.mjs';
import { runSteps, type Step } from '../setup/lib/steps.mjs';

const REQUIREMENTS = 'benchmark/requirements.txt';
const venv = path.join(made, 'bench-client');

const step: Step = {
  name: 'bench-client',
  title: 'Python client for the plain node',
  needs: [],
  remedy: 'see that the Python package index can be reached, then run the same command again',
  inputs: () => [contentsOf(REQUIREMENTS), spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout],
  outputs: () => [path.join(venv, 'bin/python')],
  async run(run) {
    rmSync(venv, { recursive: true, force: true });
    const env = cleanEnvironment();
    await run('python3', ['-m', 'venv', venv]); // of the Python that ROS 2 uses: that one runs the node
    await run(path.join(venv, 'bin/python'), ['-m', 'pip', 'install', '-q', '--no-deps', '-r', REQUIREMENTS], { env });
  },
};

/**
 * @returns an environment in which the Python of ROS 2 finds the client.
 * @throws {Error} when it cannot be installed.
 */
export async function plainClientEnvironment(say: (line: string) => void): Promise<NodeJS.ProcessEnv> {
  const result = (await runSteps([step], say)).get(step.name);
  if (result?.state === 'failed') throw new Error('the plain node cannot be measured without its client');
  const [python = ''] = readdirSync(path.join(venv, 'lib'));
  const packages = path.join(venv, 'lib', python, 'site-packages');
  return { ...process.env, PYTHONPATH: [process.env['PYTHONPATH'], packages].filter(Boolean).join(':') };
}
