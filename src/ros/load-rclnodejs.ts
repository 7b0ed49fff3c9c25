/**
 * rclnodejs, imported only when its addon can load: else the loader inside it runs `npm run rebuild`, which deletes the addon and the
 * generated messages. Nothing else in this project imports it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Rclnodejs } from './binding.js';

/** Why the ROS binding cannot be used here, and what to do about it. */
export class RosUnavailableError extends Error {
  readonly remedy: string;

  constructor(reason: string, remedy: string, options?: ErrorOptions) {
    super(`${reason}: ${remedy}`, options);
    this.name = 'RosUnavailableError';
    this.remedy = remedy;
  }
}

const SET_UP = 'type npm run setup in the checkout, or source the setup file of a ROS 2 installation';
const REBUILD = 'type npm rebuild rclnodejs with the ROS 2 environment sourced';

/** @throws {RosUnavailableError} */
export async function loadRclnodejs(environment: NodeJS.ProcessEnv = process.env): Promise<Rclnodejs> {
  const root = findBinding(environment);
  const addons = addonFiles(root, environment).filter((file) => existsSync(file));
  if (addons.length === 0) throw new RosUnavailableError('rclnodejs is not built', REBUILD);
  const reasons = addons.map(whyNotLoadable);
  if (!reasons.includes(undefined)) throw new RosUnavailableError(`the addon of rclnodejs does not load (${reasons.join('; ')})`, REBUILD);
  const name = 'rclnodejs'; // not a literal below: it is optional, and its types are not there where it is not
  const module: { readonly default?: unknown } = await import(name);
  if (!isBinding(module.default)) throw new RosUnavailableError('this rclnodejs is not the version this node was made for', 'type npm ci');
  return module.default;
}

function findBinding(environment: NodeJS.ProcessEnv): string {
  if (!environment['ROS_DISTRO'] || !environment['AMENT_PREFIX_PATH']) {
    throw new RosUnavailableError('no ROS 2 environment is sourced', SET_UP);
  }
  if (environment['RCLNODEJS_FORCE_BUILD'] === '1') {
    throw new RosUnavailableError('RCLNODEJS_FORCE_BUILD=1 would rebuild rclnodejs at every start', 'unset it');
  }
  try {
    return path.dirname(createRequire(import.meta.url).resolve('rclnodejs/package.json'));
  } catch (cause) {
    throw new RosUnavailableError('rclnodejs is not installed', 'type npm ci with the ROS 2 environment sourced', { cause });
  }
}

/** Where its loader looks, in its order: a binary shipped for this Ubuntu release and ROS distribution, then the local build. */
function addonFiles(root: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(release)?.[1]?.trim();
  const shipped = `${environment['ROS_DISTRO']}-${codename}-${process.arch}-node-rclnodejs.node`;
  return [path.join(root, 'prebuilds', `linux-${process.arch}`, shipped), path.join(root, 'build', 'Release', 'rclnodejs.node')];
}

function whyNotLoadable(file: string): string | undefined {
  try {
    process.dlopen({ exports: {} }, file);
    return undefined;
  } catch (error) {
    return String(error).split('\n', 1)[0];
  }
}

const USED: readonly (keyof Rclnodejs)[] = [
  'init',
  'shutdown',
  'isShutdown',
  'removeSignalHandlers',
  'Context',
  'Node',
  'NodeOptions',
  'QoS',
  'Parameter',
  'ParameterDescriptor',
  'lifecycle',
];

function isBinding(module: unknown): module is Rclnodejs {
  return typeof module === 'object' && module !== null && USED.every((name) => name in module);
}
