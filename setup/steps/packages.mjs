// @ts-check
// node_modules as the lock file says. No install scripts: the only one that matters, rclnodejs', has a step of its own.
import path from 'node:path';
import { root } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'packages',
  title: 'npm packages',
  needs: [],
  remedy: 'see that the npm registry can be reached, then run the same command again',
  inputs: () => [contentsOf('package-lock.json'), process.arch],
  outputs: () => ['typescript', 'vitest', 'rclnodejs'].map((name) => path.join(root, 'node_modules', name, 'package.json')),
  run: (run) => run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
};
