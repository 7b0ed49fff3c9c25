/** Settings as the nested object the schema checks, with the way back to where each was written. */
import type { Place, Problem } from './problem.js';
import { type Setting, showValue } from './setting.js';

export interface RawGroup {
  [key: string]: RawGroup | Setting['value'];
}

const SECTIONS = ['backends', 'models', 'streams'] as const;

export class SettingTree {
  readonly root: RawGroup = group();
  /** Names that are a value in one place and a group in another. */
  readonly problems: Problem[] = [];
  /** By dotted name; a group has the place of its first member. */
  readonly #places = new Map<string, Place>();
  readonly #settings = new Map<string, Setting>();

  constructor(settings: Iterable<Setting>, sections: readonly string[] = SECTIONS) {
    for (const section of sections) this.root[section] = group(); // left out and empty are the same
    for (const setting of settings) this.#add(setting);
  }

  /** The entries of a section, by the names its author chose. */
  names(section: (typeof SECTIONS)[number]): ReadonlyMap<string, unknown> {
    const entries = this.root[section];
    return new Map(isGroup(entries) ? Object.entries(entries) : []);
  }

  /** A problem with what stands, or should stand, at this place. */
  problemAt(path: readonly string[], text: string): Problem {
    const key = path.join('.');
    const setting = this.#settings.get(key);
    const place = this.placeOf(path);
    return { ...(place === undefined ? {} : { place }), key, ...(setting === undefined ? {} : { value: showValue(setting.value) }), text };
  }

  /** Whether anything was written at this place: a value or a group. */
  holds(path: readonly string[]): boolean {
    return this.#places.has(path.join('.'));
  }

  /** The value at this place; undefined for a group and for nothing. */
  valueAt(path: readonly string[]): Setting['value'] | undefined {
    return this.#settings.get(path.join('.'))?.value;
  }

  /** What is missing has the place of the nearest group around it. */
  placeOf(path: readonly string[]): Place | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const place = this.#places.get(path.slice(0, length).join('.'));
      if (place !== undefined) return place;
    }
    return undefined;
  }

  #add(setting: Setting): void {
    let parent = this.root;
    for (const [depth, key] of setting.path.slice(0, -1).entries()) {
      const dotted = setting.path.slice(0, depth + 1).join('.');
      if (!this.#places.has(dotted)) this.#places.set(dotted, setting.place);
      const child = parent[key] ?? group();
      if (!isGroup(child)) {
        this.#conflict(setting, dotted);
        return;
      }
      parent[key] = child;
      parent = child;
    }
    const last = setting.path.at(-1) ?? '';
    const dotted = setting.path.join('.');
    const present = parent[last];
    if (isGroup(present) && Object.keys(present).length > 0) {
      this.#conflict(setting, dotted);
      return;
    }
    parent[last] = setting.value;
    this.#places.set(dotted, setting.place);
    this.#settings.set(dotted, setting);
  }

  #conflict({ path, value, place }: Setting, dotted: string): void {
    const text = `${dotted} is a value in one place and a group in another; keep one of them`;
    this.problems.push({ place, key: path.join('.'), value: showValue(value), text });
  }
}

/** Without a prototype: a key is never anything but a key. */
function group(): RawGroup {
  return Object.create(null);
}

function isGroup(value: RawGroup[string] | undefined): value is RawGroup {
  return typeof value === 'object' && !Array.isArray(value);
}
