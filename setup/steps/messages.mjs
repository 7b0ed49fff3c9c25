// @ts-check
// The ROS package at the project's root, its messages only, by plain CMake into an overlay.
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { made, root, ros, rosEnvironment, sourcedRos } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'messages',
  title: 'message package',
  needs: ['ros'],
  remedy: 'correct what the compiler says about msg/, srv/ or CMakeLists.txt, then run the same command again',
  inputs: () => contentsOf('msg', 'srv', 'CMakeLists.txt', 'package.xml', 'setup/ros/check.py'),
  outputs: () => [path.join(ros.overlay, 'share/vigilant_governor/package.xml')],
  async run(run) {
    const build = path.join(made, 'build');
    for (const folder of [build, ros.overlay]) rmSync(folder, { recursive: true, force: true });
    const env = rosEnvironment();
    const python = sourcedRos() ? [] : [`-DPython3_EXECUTABLE=${ros.venv}/bin/python`];
    const options = [
      `-DCMAKE_INSTALL_PREFIX=${ros.overlay}`,
      '-DCMAKE_BUILD_TYPE=Release',
      '-DBUILD_TESTING=OFF',
      '-DVIG_MESSAGES_ONLY=ON',
    ];
    await run('cmake', ['-S', root, '-B', build, ...options, ...python], { env });
    await run('cmake', ['--build', build, '--parallel', String(os.availableParallelism())], { env });
    await run('cmake', ['--install', build], { env });
    const domain = String(1 + (process.pid % 100)); // a check of its own, beside whatever runs
    await run(sourcedRos() ? 'python3' : `${ros.venv}/bin/python`, ['setup/ros/check.py'], { env: { ...env, ROS_DOMAIN_ID: domain } });
    rmSync(build, { recursive: true, force: true });
  },
};
