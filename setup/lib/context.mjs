// @ts-check
// Where things are, and which Python and which ROS 2 set-up works with.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Everything that set-up makes outside node_modules and dist; git ignores it. */
export const made = path.join(root, '.vig');
export const ros = { root: path.join(made, 'ros'), venv: path.join(made, 'ros/venv'), overlay: path.join(made, 'ros/overlay') };
export const environmentFile = path.join(ros.root, 'env.sh');
export const triton = path.join(made, 'triton');
export const models = path.join(made, 'models');
export const bags = path.join(made, 'bags');

export const supportedRos = ['humble', 'jazzy', 'kilted'];

/** The ROS 2 that the person has sourced, unless it is the one that set-up itself made. */
export function sourcedRos() {
  const { ROS_DISTRO: distro, AMENT_PREFIX_PATH: prefixes } = process.env;
  if (!distro || !prefixes || prefixes.split(':').includes(ros.venv)) return undefined;
  return { distro, prefixes: prefixes.split(':').filter((prefix) => prefix !== ros.overlay) };
}

/** @typedef {{ file: string, version: string, minor: number, headers: boolean, venv: boolean, libpython: boolean }} Python */

const PROBE = `
import ctypes.util, json, os, sys, sysconfig
try:
    import ensurepip, venv
except ImportError:
    ensurepip = None
minor = sys.version_info[1] if sys.version_info[0] == 3 else 0
print(json.dumps({
    "version": sys.version.split()[0], "minor": minor, "venv": ensurepip is not None,
    "headers": os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"),
    "libpython": ctypes.util.find_library("python3.%d" % minor) is not None,
}))`;

/**
 * The system's own Python first: the Triton stub embeds the system's libpython, which a Python from elsewhere often lacks.
 * @returns {Python | undefined}
 */
export function findPython() {
  for (const name of ['/usr/bin/python3', 'python3']) {
    const probe = spawnSync(name, ['-S', '-c', PROBE], { encoding: 'utf8', env: cleanEnvironment() });
    if (probe.status === 0) return { file: name, ...JSON.parse(probe.stdout) };
  }
  return undefined;
}

/** The environment without what leads Python and the dynamic linker elsewhere: another ROS, a venv, set-up's own ROS. */
export function cleanEnvironment() {
  const { PYTHONPATH: _path, PYTHONHOME: _home, LD_LIBRARY_PATH: _libraries, VIRTUAL_ENV: _venv, ...rest } = process.env;
  const search = (rest['PATH'] ?? '').split(':').filter((folder) => !folder.startsWith(made + path.sep));
  return { ...rest, PATH: search.join(':'), PIP_DISABLE_PIP_VERSION_CHECK: '1' };
}

/**
 * The environment with ROS 2 and this project's messages in it.
 * @returns {NodeJS.ProcessEnv}
 */
export function rosEnvironment() {
  const base = sourcedRos() ? process.env : cleanEnvironment();
  // bash reads .bashrc when its input is a socket, as here; that may reorder PATH.
  const command = ['--norc', '-c', '. "$1" && env -0', 'bash', environmentFile];
  const sourced = spawnSync('bash', command, { encoding: 'utf8', env: base, maxBuffer: 1 << 24 });
  if (sourced.status !== 0) throw new Error(`${path.relative(root, environmentFile)} cannot be sourced: ${sourced.stderr.trim()}`);
  const pairs = sourced.stdout.split('\0').filter((pair) => pair.includes('='));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** node-gyp downloads Node's headers unless told where they lie. */
export function nodeHeaders() {
  const prefix = path.dirname(path.dirname(realpathSync(process.execPath)));
  return existsSync(path.join(prefix, 'include/node/node_api.h')) ? { npm_config_nodedir: prefix } : {};
}
