/** The part of the ROS 2 command line that concerns the configuration (`--ros-args … --`). */
import { COMMAND_LINE, ConfigurationError, type Problem, shorten } from './problem.js';

export interface ParameterOverride {
  /** The node it is for, when named: `-p governor:autostart:=false`. */
  readonly node?: string;
  readonly key: string;
  /** As YAML. */
  readonly value: string;
}

export interface RosArguments {
  readonly parameterFiles: readonly string[];
  readonly overrides: readonly ParameterOverride[];
  /** From `-r __node:=…`. */
  readonly name?: string;
  /** From `-r __ns:=…`, with a leading slash and none at the end. */
  readonly namespace?: string;
}

/**
 * Everything else (other remappings, log levels) is left to the ROS libraries.
 * @throws {ConfigurationError} `arguments`.
 */
export function parseRosArguments(argv: readonly string[]): RosArguments {
  const problems: Problem[] = [];
  const parameterFiles: string[] = [];
  const overrides: ParameterOverride[] = [];
  const names: { name?: string; namespace?: string } = {};
  const rest = rosArguments(argv, problems)[Symbol.iterator]();
  const next = (flag: string, form: string): string | undefined => {
    const { value } = rest.next();
    if (value === undefined) problems.push({ place: COMMAND_LINE, text: `${flag} lacks its argument: ${flag} ${form}` });
    return value;
  };
  for (const argument of { [Symbol.iterator]: () => rest }) {
    if (argument === '--params-file') {
      const file = next(argument, 'FILE');
      if (file !== undefined) parameterFiles.push(file);
    } else if (argument === '-p' || argument === '--param') {
      const text = next(argument, 'NAME:=VALUE');
      if (text !== undefined) readOverride(text, overrides, problems);
    } else if (argument === '-r' || argument === '--remap') {
      const text = next(argument, 'FROM:=TO');
      if (text !== undefined) readRemapping(text, names, problems);
    } else if (argument === '--log-level') {
      const text = next(argument, '[LOGGER:=]LEVEL');
      if (text !== undefined) checkLogLevel(text, problems);
    }
  }
  if (problems.length > 0) throw new ConfigurationError('arguments', problems);
  return { parameterFiles, overrides, ...names };
}

/** The ROS libraries read what stands behind `--ros-args`, up to `--`; nobody reads the rest. */
function* rosArguments(argv: readonly string[], problems: Problem[]): Generator<string, undefined> {
  const unread: string[] = [];
  let inside = false;
  for (const argument of argv) {
    if (argument === '--ros-args') inside = true;
    else if (argument === '--') inside = false;
    else if (inside) yield argument;
    else unread.push(argument);
  }
  if (unread.length > 0) {
    const text = `${shorten(unread.join(' '))}: only what stands behind --ros-args is read; write it there, or leave it out`;
    problems.push({ place: COMMAND_LINE, text });
  }
  return undefined;
}

function readOverride(text: string, overrides: ParameterOverride[], problems: Problem[]): void {
  const [, node, key, value] = /^(?:([^:=]+):(?!=))?([^:=]+):=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) problems.push({ place: COMMAND_LINE, text: `-p ${text}: expected NAME:=VALUE` });
  else overrides.push({ ...(node === undefined ? {} : { node }), key, value });
}

/** From the one that tells most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;

function checkLogLevel(text: string, problems: Problem[]): void {
  const level = text.slice(text.lastIndexOf('=') + 1).toLowerCase();
  if (!LOG_LEVELS.some((known) => known === level) && level !== 'unset')
    problems.push({ place: COMMAND_LINE, text: `--log-level ${text}: expected one of ${LOG_LEVELS.join(', ')}` });
}

function readRemapping(text: string, names: { name?: string; namespace?: string }, problems: Problem[]): void {
  const [, key, value] = /(__node|__name|__ns):=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) return;
  if (key === '__ns') {
    if (/^(\/|(\/[A-Za-z_][A-Za-z0-9_]*)+)$/.test(value)) names.namespace = value;
    else problems.push({ place: COMMAND_LINE, text: `-r ${text}: expected an absolute namespace, for instance /robot` });
  } else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) names.name = value;
  else problems.push({ place: COMMAND_LINE, text: `-r ${text}: expected a node name of letters, digits and underscores` });
}
