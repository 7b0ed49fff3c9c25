// @ts-check
// rclnodejs' native part, built against the ROS 2 of the step before (or the binary that it ships for an Ubuntu with ROS).
import { rmSync } from 'node:fs';
import path from 'node:path';
import { nodeHeaders, root, rosEnvironment } from '../lib/context.mjs';

const folder = path.join(root, 'node_modules/rclnodejs');
const proof = path.join(folder, 'install-complete'); // goes with node_modules, so that a new npm ci is noticed

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'addon',
  title: 'rclnodejs for this ROS 2',
  needs: ['ros', 'packages'],
  remedy: 'see the compiler errors in the log; Node 20 or later with its headers and a C++ compiler are needed',
  inputs: () => [process.version, process.arch],
  outputs: () => [proof],
  async run(run) {
    rmSync(path.join(folder, 'build'), { recursive: true, force: true });
    rmSync(proof, { force: true });
    await run('node', ['scripts/install.cjs'], { cwd: folder, env: { ...rosEnvironment(), ...nodeHeaders() } });
    await run('touch', [proof]);
  },
};
