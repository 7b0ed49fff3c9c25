/** From files and command line to checked parameters. */
import { addresses, fullName, type NodeName } from './node-name.js';
import { type Block, type BlockContent, parseValue, readParameterFile } from './parameter-file.js';
import { type ConfigurationCode, ConfigurationError, type Problem } from './problem.js';
import type { ParameterOverride } from './ros-arguments.js';
import { type Configuration, validate } from './validate.js';

const DEFAULT_NODE: NodeName = { name: 'governor', namespace: '/' };

export interface Sources {
  readonly files: readonly string[];
  readonly overrides?: readonly ParameterOverride[];
  readonly node?: NodeName;
}

/**
 * Reads what is addressed to the node: files in order, their blocks in order, then overrides; the last one counts.
 * @throws {ConfigurationError} with every problem found.
 */
export function loadConfiguration({ files, overrides = [], node = DEFAULT_NODE }: Sources): Configuration {
  const blocks = every(files, readParameterFile).flat();
  const mine = blocks.filter((block) => addresses(block.node, node));
  if (files.length > 0 && mine.length === 0) throw noBlock(files, blocks, node);
  const values = every(
    overrides.filter((override) => override.node === undefined || addresses(override.node, node)),
    ({ key, value }) => parseValue(key, value, { source: `-p ${key}` }),
  );
  const contents: BlockContent[] = [...mine.map((block) => block.read()), ...values];
  return validate(
    contents.flatMap((content) => content.settings),
    contents.flatMap((content) => content.problems),
    node,
  );
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

function noBlock(files: readonly string[], blocks: readonly Block[], node: NodeName): ConfigurationError {
  const name = fullName(node);
  const found = [...new Set(blocks.map((block) => block.node))];
  const there = found.length === 0 ? 'there are no blocks' : `there are blocks for ${found.slice(0, 10).join(', ')}`;
  const wanted = node.namespace === '/' ? `"${node.name}:"` : `"${name}:"`;
  const text = `no parameters for node ${name}: ${there}; expected ${wanted} or "/**:", and below it "ros__parameters:"`;
  return new ConfigurationError('no_block', [{ place: { source: files.join(', ') }, text }]);
}
