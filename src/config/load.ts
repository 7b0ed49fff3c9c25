/** From files and command line to checked parameters. */
import { addresses, fullName, type NodeName } from './node-name.js';
import { type Block, type BlockContent, parseValue, readParameterFile } from './parameter-file.js';
import { COMMAND_LINE, type ConfigurationCode, ConfigurationError, type Problem } from './problem.js';
import type { ParameterOverride } from './ros-arguments.js';
import type { Setting } from './setting.js';
import { type Configuration, validate } from './validate.js';

/** The name of the node unless somebody gives it another. */
export const DEFAULT_NODE: NodeName = { name: 'governor', namespace: '/' };

export interface Sources {
  readonly files: readonly string[];
  readonly overrides?: readonly ParameterOverride[];
  readonly node?: NodeName;
  /** Settings that the caller takes for itself: the schema does not judge them. */
  readonly take?: (setting: Setting) => boolean;
}

/**
 * Reads what is addressed to the node: files in order, their blocks in order, then overrides; the last one counts.
 * @throws {ConfigurationError} with every problem found.
 */
export function loadConfiguration({ files, overrides = [], node = DEFAULT_NODE, take = () => false }: Sources): Configuration {
  const read = every(files, (file) => ({ file, blocks: readParameterFile(file) }));
  const mine = read.flatMap(({ blocks }) => blocks).filter((block) => addresses(block.node, node));
  const strangers = read.filter(({ blocks }) => !blocks.some((block) => addresses(block.node, node))).map((file) => noBlock(file, node));
  if (files.length > 0 && mine.length === 0) throw new ConfigurationError('no_block', strangers);
  const values = every(
    overrides.filter((override) => override.node === undefined || addresses(override.node, node)),
    ({ key, value }) => parseValue(key, value, COMMAND_LINE),
  );
  const contents: BlockContent[] = [...mine.map((block) => block.read()), ...values];
  try {
    return validate(
      contents.flatMap((content) => content.settings).filter((setting) => !take(setting)),
      contents.flatMap((content) => content.problems),
      node,
    );
  } catch (error) {
    // A file for other nodes is fine, unless what it should have said is missing: launch adds a file of its own that is for every node.
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.code, [...error.problems.map((problem) => placed(problem, mine)), ...strangers]);
  }
}

/** What is missing altogether stands nowhere: it belongs where the rest stands. */
function placed(problem: Problem, blocks: readonly Block[]): Problem {
  const [first, ...others] = blocks;
  if (problem.place !== undefined || first === undefined) return problem;
  const source = [...new Set(blocks.map((block) => block.place.source))].join(', ');
  return { ...problem, place: others.length === 0 ? first.place : { source } };
}

/** All or nothing, with the problems of all. */
function every<T, R>(items: readonly T[], read: (item: T) => R): R[] {
  const results: R[] = [];
  const problems: Problem[] = [];
  let code: ConfigurationCode | undefined;
  for (const item of items) {
    try {
      results.push(read(item));
    } catch (cause) {
      if (!(cause instanceof ConfigurationError)) throw cause;
      code ??= cause.code;
      problems.push(...cause.problems);
    }
  }
  if (code !== undefined) throw new ConfigurationError(code, problems);
  return results;
}

interface ReadFile {
  readonly file: string;
  readonly blocks: readonly Block[];
}

function noBlock({ file, blocks }: ReadFile, node: NodeName): Problem {
  const name = fullName(node);
  const found = [...new Set(blocks.map((block) => block.node))];
  const there = found.length === 0 ? 'there are no blocks' : `there are blocks for ${found.slice(0, 10).join(', ')}`;
  const wanted = node.namespace === '/' ? `"${node.name}:"` : `"${name}:"`;
  return {
    place: { source: file },
    text: `no parameters for node ${name}: ${there}; expected ${wanted} or "/**:", and below it "ros__parameters:"`,
  };
}
