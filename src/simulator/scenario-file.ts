/** Scenarios from files: everything that is wrong with one is said, with its line. */
import { isMap } from 'yaml';
import { expectKind } from '../config/file-kind.js';
import { issueProblems, type Written } from '../config/issue-problems.js';
import { ConfigurationError, inFile, type Problem, withoutConsequences } from '../config/problem.js';
import { readSettings, type SettingReader } from '../config/setting.js';
import { SettingTree } from '../config/setting-tree.js';
import { parseYaml } from '../config/yaml-document.js';
import { readYamlText } from '../config/yaml-text.js';
import type { YamlPath } from '../config/yaml-tree.js';
import { governorOf } from './governor-settings.js';
import { policyFaults } from './policies.js';
import { toScenario } from './read-scenario.js';
import type { Scenario } from './scenario.js';
import { type ScenarioEntry, scenarioSchema } from './scenario-schema.js';

/** @throws {ConfigurationError} `unreadable`, `malformed`, `invalid`: with every problem found. */
export function readScenario(file: string): Scenario {
  return parseScenario(readYamlText(file), file);
}

/** @throws {ConfigurationError} `malformed`, `invalid`. */
export function parseScenario(text: string, source: string): Scenario {
  const { contents, placeOf } = parseYaml(text, source);
  expectKind('scenario', contents, source);
  if (!isMap(contents))
    throw new ConfigurationError('malformed', [{ place: { source }, text: `expected a scenario with the keys ${KEYS}` }]);
  const reader: SettingReader = { placeOf, settings: [], problems: [] };
  readSettings(reader, contents, [], { source });
  const tree = new SettingTree(reader.settings, []);
  const parsed = scenarioSchema.safeParse(tree.root);
  const found = [...tree.problems];
  if (parsed.success) found.push(...check(parsed.data, tree));
  else found.push(...issueProblems(parsed.error.issues, scenarioSchema, writtenIn(tree)));
  const governor = governorOf(reader.settings);
  if ('problems' in governor) found.push(...governor.problems.filter(isNews(found)));
  const problems = [...reader.problems, ...withoutConsequences(found, reader.problems)];
  if (!parsed.success || 'problems' in governor || problems.length > 0) throw new ConfigurationError('invalid', inFile(source, problems));
  return toScenario(parsed.data, governor);
}

const KEYS = Object.keys(scenarioSchema.shape).join(', ');

/** What is inside a list is about the list: that is what the author wrote. */
function writtenIn(tree: SettingTree): Written {
  const named = (path: YamlPath) => path.filter((step) => typeof step === 'string');
  return { holds: (path) => tree.holds(named(path)), problemAt: (path, text) => tree.problemAt(named(path), text) };
}

/** What the scenario's own schema has said of a key is not said again. */
function isNews(problems: readonly Problem[]): (problem: Problem) => boolean {
  const told = new Set(problems.map(({ key }) => key));
  return ({ key }) => !told.has(key);
}

/** What no single value can tell. */
function check(entry: ScenarioEntry, tree: SettingTree): Problem[] {
  const problems: Problem[] = policyFaults(entry.policies).map((text) => tree.problemAt(['policies'], text));
  if (Object.keys(entry.streams).length === 0)
    problems.push(tree.problemAt(['streams'], 'there are none; add one with source, contract and variants'));
  for (const [name, { source, variants, cooperative }] of Object.entries(entry.streams)) {
    for (const key of ['prompt_tokens', 'max_tokens'] as const) {
      if (source[key] !== undefined && cooperative === undefined)
        problems.push(
          tree.problemAt(
            ['streams', name, 'source', key],
            'has no effect: the stream is not cooperative; add cooperative, or leave it out',
          ),
        );
    }
    if (cooperative !== undefined && entry.load_permille !== undefined && entry.scale === 'runtimes')
      problems.push(
        tree.problemAt(
          ['load_permille'],
          `scales runtimes, and those of ${name} follow from its tokens; leave it out, or set scale: periods`,
        ),
      );
    for (const [variant, { p50_ms, p99_ms }] of Object.entries(variants)) {
      if (p99_ms < p50_ms)
        problems.push(tree.problemAt(['streams', name, 'variants', variant, 'p99_ms'], `expected at least p50_ms, which is ${p50_ms}`));
    }
    if (Object.keys(variants).length === 0) problems.push(tree.problemAt(['streams', name, 'variants'], 'there are none; add one'));
    if (source.burst !== undefined && source.burst.for_ms > source.burst.every_ms)
      problems.push(
        tree.problemAt(['streams', name, 'source', 'burst', 'for_ms'], `expected at most every_ms, which is ${source.burst.every_ms}`),
      );
    if (source.jitter_ms >= source.period_ms) {
      problems.push(tree.problemAt(['streams', name, 'source', 'jitter_ms'], `expected less than period_ms, which is ${source.period_ms}`));
    }
  }
  return problems;
}
