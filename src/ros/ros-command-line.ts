/** What of the command line the ROS libraries get. Parameters are read and checked by this node alone. Pure. */
import { LOG_LEVELS } from '../config/ros-arguments.js';
import type { LogLevel } from './operator-log.js';

const PARAMETER_FLAGS: ReadonlySet<string> = new Set(['--params-file', '-p', '--param']);

/** The command line without its parameters. */
export function withoutParameters(argv: readonly string[]): readonly string[] {
  return argv.filter((argument, index) => !PARAMETER_FLAGS.has(argument) && !PARAMETER_FLAGS.has(argv[index - 1] ?? ''));
}

/** The level of `--log-level LEVEL` or `--log-level LOGGER:=LEVEL`; info when there is none. */
export function logLevel(argv: readonly string[]): LogLevel {
  const asked = argv[argv.lastIndexOf('--log-level') + 1] ?? '';
  const level = asked.slice(asked.lastIndexOf('=') + 1).toLowerCase();
  return argv.includes('--log-level') ? (LOG_LEVELS.find((known) => known === level) ?? 'info') : 'info';
}
