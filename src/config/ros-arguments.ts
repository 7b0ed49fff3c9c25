/** The part of the ROS 2 command line that concerns the configuration (`--ros-args … --`). */
import { ConfigurationError, type Problem } from './problem.js';

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
  const rest = rosArguments(argv)[Symbol.iterator]();
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
    }
  }
  if (problems.length > 0) throw new ConfigurationError('arguments', problems);
  return { parameterFiles, overrides, ...names };
}

const COMMAND_LINE = { source: 'command line' } as const;

function* rosArguments(argv: readonly string[]): Generator<string, undefined> {
  let inside = false;
  for (const argument of argv) {
    if (argument === '--ros-args') inside = true;
    else if (argument === '--') inside = false;
    else if (inside) yield argument;
  }
  return undefined;
}

function readOverride(text: string, overrides: ParameterOverride[], problems: Problem[]): void {
  const [, node, key, value] = /^(?:([^:=]+):(?!=))?([^:=]+):=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) problems.push({ place: COMMAND_LINE, text: `-p ${text}: expected NAME:=VALUE` });
  else overrides.push({ ...(node === undefined ? {} : { node }), key, value });
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
