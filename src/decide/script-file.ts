/** Decision scripts from a file: everything that is wrong with one is said, with its line (design.md 8). */
import { isMap, isScalar, type Node } from 'yaml';
import { expectKind } from '../config/file-kind.js';
import { nearestName } from '../config/nearest.js';
import { ConfigurationError, inFile, type Place, type Problem, shorten } from '../config/problem.js';
import { readSettings, type SettingReader, twice } from '../config/setting.js';
import { parseYaml, type YamlDocument } from '../config/yaml-document.js';
import { readYamlText } from '../config/yaml-text.js';
import { YamlTree, type YamlValue } from '../config/yaml-tree.js';
import { readExpectations } from './expectations.js';
import { Names } from './names.js';
import type { Script } from './script.js';
import { ScriptConfiguration, type WrittenSettings } from './script-configuration.js';
import { readLines } from './script-lines.js';

const CONFIGURATION_KEYS: readonly string[] = ['scheduling', 'learning', 'overload', 'backend', 'backends', 'models', 'streams'];
const LIST_KEYS = ['events', 'expect', 'never'] as const;
const KEYS: readonly string[] = [...CONFIGURATION_KEYS, ...LIST_KEYS];

/** @throws {ConfigurationError} `unreadable`, `malformed`, `invalid`: with every problem found. */
export function readScript(file: string): Script {
  return parseScript(readYamlText(file), file);
}

/** @throws {ConfigurationError} `malformed`, `invalid`. */
export function parseScript(text: string, source: string): Script {
  const document = parseYaml(text, source);
  expectKind('script', document.contents, source);
  const sections = sectionsOf(document, source);
  const written = settingsIn(sections);
  const problems = [...sections.problems, ...written.problems];
  const configuration = new ScriptConfiguration(written);
  const tree = new YamlTree(document.placeOf);
  const lists = new Map(LIST_KEYS.map((key) => [key, listIn(sections, key, tree, source)]));
  const list = (key: (typeof LIST_KEYS)[number]) => lists.get(key) ?? [];
  problems.push(...tree.problems);

  const names = new Names(configuration.names);
  const lines = readLines(list('events'), tree, names, configuration, problems);
  const expect = readExpectations(list('expect'), 'expect', tree, names, problems);
  const never = readExpectations(list('never'), 'never', tree, names, problems);
  const refused =
    configuration.initial instanceof ConfigurationError
      ? configuration.initial.problems.filter((problem) => !written.problems.includes(problem))
      : lines.flatMap((line) => (line.kind === 'refused' ? line.problems : []));
  // What is refused is a mistake, unless the script is about that.
  if (!expect.some((one) => one.kind === 'action' && one.fields['action'] === 'error')) problems.unshift(...refused);
  if (problems.length > 0) throw new ConfigurationError('invalid', inFile(source, problems));
  return { configuration: configuration.initial, lines, expect, never };
}

interface Section {
  readonly node: unknown;
  readonly place: Place;
}

interface Sections {
  readonly found: ReadonlyMap<string, Section>;
  readonly problems: readonly Problem[];
  readonly placeOf: YamlDocument['placeOf'];
}

function sectionsOf({ contents, placeOf }: YamlDocument, source: string): Sections {
  if (!isMap<Node, unknown>(contents)) {
    throw new ConfigurationError('malformed', [{ place: { source }, text: `expected a decision script with the keys ${KEYS.join(', ')}` }]);
  }
  const found = new Map<string, Section>();
  const problems: Problem[] = [];
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const place = placeOf(key);
    const other = found.get(name);
    if (other !== undefined) problems.push({ place, key: name, text: twice(other.place) });
    else if (KEYS.includes(name)) found.set(name, { node: value, place });
    else problems.push({ place, key: shorten(name), text: `no such key; ${suggestion(name)}` });
  }
  return { found, problems, placeOf };
}

function suggestion(name: string): string {
  const nearest = nearestName(name, KEYS);
  return nearest === undefined ? `expected one of ${KEYS.join(', ')}` : `did you mean ${nearest}?`;
}

function settingsIn({ found, placeOf }: Sections): WrittenSettings {
  const reader: SettingReader = { placeOf, settings: [], problems: [] };
  for (const [key, { node, place }] of found) if (CONFIGURATION_KEYS.includes(key)) readSettings(reader, node, [key], place);
  return reader;
}

function listIn({ found }: Sections, key: string, tree: YamlTree, source: string): readonly YamlValue[] {
  const section = found.get(key);
  if (section === undefined) return [];
  const value = tree.read(section.node, [key], section.place ?? { source });
  if (value === undefined || Array.isArray(value)) return value ?? [];
  tree.problems.push(tree.problemAt([key], 'expected a list, one item a line'));
  return [];
}
