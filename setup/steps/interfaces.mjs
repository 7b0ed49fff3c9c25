// @ts-check
// JavaScript of all ROS messages, this project's among them, for rclnodejs.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { root, rosEnvironment } from '../lib/context.mjs';

const folder = path.join(root, 'node_modules/rclnodejs');

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'interfaces',
  title: 'JavaScript of the messages',
  needs: ['messages', 'addon'],
  remedy: 'remove node_modules and run the same command again',
  inputs: () => undefined,
  outputs: () => ['vigilant_governor', 'sensor_msgs'].map((name) => path.join(folder, 'generated', name)), // its generator exits with 0 also on errors
  async run(run) {
    rmSync(path.join(folder, 'generated'), { recursive: true, force: true });
    await run('node', ['scripts/generate_messages.cjs'], { cwd: folder, env: rosEnvironment() });
  },
};
