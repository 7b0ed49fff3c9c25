/** What a YAML file is for, told by keys that only its kind has: a file given to the wrong command is named for what it is. */
import { isMap, isScalar, type Node } from 'yaml';
import { ConfigurationError } from './problem.js';

interface Kind {
  readonly what: string;
  /** How it is used. */
  readonly command: string;
  readonly isThis: (contents: unknown) => boolean;
}

const KINDS = {
  script: { what: 'a decision script', command: 'vig decide', isThis: (contents) => hasKey(contents, ['events', 'expect', 'never']) },
  scenario: {
    what: 'a scenario',
    command: 'vig simulate',
    isThis: (contents) => hasKey(contents, ['run_ms', 'load_permille', 'policies']),
  },
  parameters: {
    what: 'a ROS 2 parameter file',
    command: 'vig run --ros-args --params-file',
    isThis: (contents) => hasKeyBelow(contents, 'ros__parameters', MAX_NAMESPACES),
  },
  models: {
    what: 'a file of models for the reference server',
    command: 'vig serve-reference --models',
    isThis: (contents) => childrenOf(childOf(contents, 'models')).some((model) => hasKey(model, ['behaviour'])),
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FileKind = keyof typeof KINDS;

const MAX_NAMESPACES = 3;

/** @throws {ConfigurationError} `malformed`, when it is plainly of another kind. */
export function expectKind(expected: FileKind, contents: unknown, source: string): void {
  const own = KINDS[expected];
  if (own.isThis(contents)) return;
  const other = Object.values(KINDS).find(({ isThis }) => isThis(contents));
  if (other === undefined) return;
  const text = `is ${other.what}, not ${own.what}; it is used by: ${other.command} ${source}`;
  throw new ConfigurationError('malformed', [{ place: { source }, text }]);
}

function entriesOf(node: unknown): (readonly [string, unknown])[] {
  return isMap<Node, unknown>(node) ? node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', value]) : [];
}

function childOf(node: unknown, name: string): unknown {
  return entriesOf(node).find(([key]) => key === name)?.[1];
}

function childrenOf(node: unknown): unknown[] {
  return entriesOf(node).map(([, value]) => value);
}

function hasKey(node: unknown, keys: readonly string[]): boolean {
  return entriesOf(node).some(([key]) => keys.includes(key));
}

function hasKeyBelow(node: unknown, key: string, depth: number): boolean {
  return depth > 0 && childrenOf(node).some((child) => hasKey(child, [key]) || hasKeyBelow(child, key, depth - 1));
}
