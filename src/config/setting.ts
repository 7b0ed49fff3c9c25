/** A parameter as it was written, before anybody knows whether it exists. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { type Place, type Problem, shorten } from './problem.js';
import { scalarValue } from './yaml-scalar.js';

type ScalarValue = boolean | number | string;

export interface Setting {
  readonly path: readonly string[];
  readonly value: ScalarValue | readonly ScalarValue[];
  readonly place: Place;
}

/** Turns YAML nodes into settings; `placeOf` says where a node stands. */
export interface SettingReader {
  readonly placeOf: (node: unknown) => Place;
  readonly settings: Setting[];
  readonly problems: Problem[];
}

const MAX_DEPTH = 16;
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_]*$/;

/** Reads everything below a node. Keys may be nested, dotted or both. */
export function readSettings(reader: SettingReader, node: unknown, path: readonly string[], place: Place): void {
  const refuse = (text: string) => reader.problems.push({ place, ...(path.length === 0 ? {} : { key: path.join('.') }), text });
  if (isMap<Node, unknown>(node)) {
    if (path.length > MAX_DEPTH) refuse(`nested more than ${MAX_DEPTH} deep; no parameter is`);
    else readPairs(reader, node.items, path);
    return;
  }
  if (path.length === 0) {
    refuse('expected parameters, one "name: value" a line');
    return;
  }
  if (isAlias(node)) {
    refuse('ROS parameter files know no aliases (*name); write the value out');
    return;
  }
  const value = isSeq<Node>(node) ? listValue(node.items) : isScalar(node) ? scalarValue(node) : undefined;
  if (value === undefined) refuse(isSeq(node) ? 'a list holds plain values only' : 'has no value; write one, or remove the line');
  else reader.settings.push({ path, value, place });
}

function readPairs(reader: SettingReader, pairs: readonly Pair<Node, unknown>[], path: readonly string[]): void {
  const places = new Map<string, Place>();
  for (const { key, value } of pairs) {
    const name = isScalar(key) ? String(key.value) : '';
    const place = reader.placeOf(key);
    const other = places.get(name);
    if (other === undefined) readNamed(reader, name, value, path, place);
    else reader.problems.push({ place, key: [...path, shorten(name)].join('.'), text: twice(other) });
    places.set(name, other ?? place);
  }
}

export function twice(first: Place): string {
  return `stands in this block twice, first in line ${first.line}; keep one of them`;
}

/** Reads what stands under a name, which may be several joined by dots. */
export function readNamed(reader: SettingReader, name: string, node: unknown, path: readonly string[], place: Place): void {
  const segments = name.split('.');
  if (segments.every((segment) => SEGMENT.test(segment))) {
    readSettings(reader, node, [...path, ...segments], place);
    return;
  }
  const key = [...path, shorten(name)].join('.');
  reader.problems.push({ place, key, text: 'expected a name of letters, digits and underscores, or several joined by dots' });
}

function listValue(items: readonly unknown[]): ScalarValue[] | undefined {
  const values = items.map((item) => (isScalar(item) ? scalarValue(item) : undefined));
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** A value as an error message shows it. */
export function showValue(value: Setting['value']): string {
  if (typeof value === 'string') return shorten(JSON.stringify(value));
  if (typeof value === 'object') return shorten(`[${value.map(showValue).join(', ')}]`);
  return String(value);
}
