/** ROS 2 parameter files: blocks of parameters, each addressed to nodes by name or wildcard. */
import { isMap, isScalar, type Node } from 'yaml';
import { expectKind } from './file-kind.js';
import { nearestName } from './nearest.js';
import { ConfigurationError, type Place, type Problem } from './problem.js';
import { readNamed, readSettings, type Setting, type SettingReader, twice } from './setting.js';
import { parseYaml, type YamlDocument } from './yaml-document.js';
import { readYamlText } from './yaml-text.js';

const BLOCK_KEY = 'ros__parameters';

/** What one `ros__parameters:` holds. */
export interface Block {
  /** The node it is for, as written: `governor`, `/ns/governor`, `/**`. */
  readonly node: string;
  readonly place: Place;
  /** On demand: what is for other nodes is none of our business. */
  read(): BlockContent;
}

export interface BlockContent {
  readonly settings: readonly Setting[];
  readonly problems: readonly Problem[];
}

/** @throws {ConfigurationError} `unreadable`, `malformed`. */
export function readParameterFile(file: string): Block[] {
  return parseParameterFile(readYamlText(file), file);
}

/** @throws {ConfigurationError} `malformed`. */
export function parseParameterFile(text: string, source: string): Block[] {
  const { contents, placeOf } = parseYaml(text, source);
  expectKind('parameters', contents, source);
  const blocks: Block[] = [];
  const problems: Problem[] = [];
  collectBlocks(contents, [], { source }, { blocks, problems, placeOf });
  if (problems.length > 0) throw new ConfigurationError('malformed', problems);
  return blocks;
}

/**
 * One value as YAML, as `-p name:=value` has it.
 * @throws {ConfigurationError} `malformed`.
 */
export function parseValue(key: string, text: string, place: Place): BlockContent {
  const { contents } = parseNamed(key, text, place);
  const reader: SettingReader = { placeOf: () => place, settings: [], problems: [] };
  readNamed(reader, key, contents, [], place);
  return reader;
}

/** The line of a value that stands in none tells nothing; its name does. */
function parseNamed(key: string, text: string, place: Place): YamlDocument {
  try {
    return parseYaml(text, place.source);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(
      error.code,
      error.problems.map((problem) => ({ ...problem, place, key })),
      { cause: error },
    );
  }
}

interface Collected {
  readonly blocks: Block[];
  readonly problems: Problem[];
  readonly placeOf: YamlDocument['placeOf'];
}

function collectBlocks(node: unknown, path: readonly string[], place: Place, collected: Collected): void {
  if (node === null && path.length === 0) return;
  if (!isMap<Node, Node | null>(node) || path.length > 16) {
    const text = `expected "<node name>:" and below it "${BLOCK_KEY}:" with the parameters`;
    collected.problems.push({ place, ...(path.length === 0 ? {} : { key: path.join('.') }), text });
    return;
  }
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const here = collected.placeOf(key);
    if (path.length > 0 && name !== BLOCK_KEY && nearestName(name, [BLOCK_KEY]) !== undefined) {
      collected.problems.push({ place: here, key: [...path, name].join('.'), text: `no such key; did you mean ${BLOCK_KEY}?` });
    } else if (name !== BLOCK_KEY) {
      const known = collected.problems.length;
      collectBlocks(value, [...path, name], here, collected);
      if (path.length > 0 && collected.problems.length > known) break; // one mistake, said once
    } else if (path.length === 0) {
      collected.problems.push({ place: here, text: `expected a node name above "${BLOCK_KEY}:", for instance "governor:"` });
    } else {
      collected.blocks.push({ node: path.join('/'), place: here, read: () => readBlock(value, here, collected.placeOf) });
    }
  }
}

function readBlock(node: Node | null, place: Place, placeOf: YamlDocument['placeOf']): BlockContent {
  const reader: SettingReader = { placeOf, settings: [], problems: [] };
  readSettings(reader, node, [], place);
  const first = new Map<string, Setting>();
  for (const setting of reader.settings) {
    const key = setting.path.join('.');
    const other = first.get(key);
    if (other === undefined) first.set(key, setting);
    else reader.problems.push({ place: setting.place, key, text: twice(other.place) });
  }
  return reader;
}
