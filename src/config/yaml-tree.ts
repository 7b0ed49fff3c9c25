/** YAML nodes as plain values that a schema can check, with the way back to the line each was written in. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { type Place, type Problem, shorten } from './problem.js';
import { twice } from './setting.js';
import type { YamlDocument } from './yaml-document.js';

/** Scalars stay texts: what a text means is for the schema to say. Groups have no prototype. */
export type YamlValue = string | readonly YamlValue[] | YamlGroup;

export interface YamlGroup {
  readonly [key: string]: YamlValue;
}

export type YamlPath = readonly (string | number)[];

/** Collects values; a problem does not end the reading. */
export class YamlTree {
  readonly problems: Problem[] = [];
  readonly placeOf: YamlDocument['placeOf'];
  readonly #places = new Map<string, Place>();
  readonly #nodes = new Map<string, unknown>();

  constructor(placeOf: YamlDocument['placeOf']) {
    this.placeOf = placeOf;
  }

  /** @returns undefined where no value can be told; there is a problem then. */
  read(node: unknown, path: YamlPath, place: Place): YamlValue | undefined {
    this.#places.set(placeKey(path), place);
    this.#nodes.set(placeKey(path), node);
    if (isMap<Node, unknown>(node)) return this.#group(node.items, path);
    if (isSeq<Node>(node)) {
      const values = node.items.map((item, index) => this.read(item, [...path, index], this.#firstPlace(item) ?? place));
      return values.filter((value) => value !== undefined);
    }
    const text = isScalar(node) ? node.value : undefined;
    if (typeof text === 'string' && (text !== '' || (isScalar(node) && node.type !== 'PLAIN'))) return text;
    this.problems.push({ place, key: keyOf(path), text: isAlias(node) ? 'no aliases (*name) here; write the value out' : 'has no value' });
    return undefined;
  }

  /** What stands at this place in the document. */
  nodeAt(path: YamlPath): unknown {
    return this.#nodes.get(placeKey(path));
  }

  /** Of a value, or of what stands around it. */
  placeAt(path: YamlPath): Place | undefined {
    for (let length = path.length; length >= 0; length -= 1) {
      const place = this.#places.get(placeKey(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return undefined;
  }

  /** A problem with what stands, or should stand, at this place. */
  problemAt(path: YamlPath, text: string, value?: unknown): Problem {
    const place = this.placeAt(path);
    const shown = typeof value === 'string' ? { value: shorten(JSON.stringify(value)) } : {};
    return { ...(place === undefined ? {} : { place }), key: keyOf(path), ...shown, text };
  }

  #group(pairs: readonly Pair<Node, unknown>[], path: YamlPath): YamlGroup {
    const group: { [key: string]: YamlValue } = Object.create(null);
    const places = new Map<string, Place>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : '';
      const here = [...path, name];
      const place = this.placeOf(key);
      const other = places.get(name);
      if (other !== undefined) {
        this.problems.push({ place, key: keyOf(here), text: twice(other) });
        continue;
      }
      places.set(name, place);
      const read = this.read(value, here, place);
      if (read !== undefined) group[name] = read;
    }
    return group;
  }

  /** Only scalars know where they stand. */
  #firstPlace(node: unknown): Place | undefined {
    const first = isMap<Node, unknown>(node) ? node.items[0]?.key : isSeq(node) ? node.items[0] : node;
    const place = this.placeOf(first);
    return place.line === undefined ? undefined : place;
  }
}

/** As a person writes it: `events[3].repeat.times`. */
export function keyOf(path: YamlPath): string {
  return path.map((step, depth) => (typeof step === 'number' ? `[${step}]` : `${depth === 0 ? '' : '.'}${shorten(step)}`)).join('');
}

function placeKey(path: YamlPath): string {
  return JSON.stringify(path);
}
