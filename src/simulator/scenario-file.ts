/** Scenarios from files: everything that is wrong with one is said, with its line. */
import { ConfigurationError, type Problem } from '../config/problem.js';
import { readSettings, type SettingReader } from '../config/setting.js';
import { SettingTree } from '../config/setting-tree.js';
import { parseYaml } from '../config/yaml-document.js';
import { readYamlText } from '../config/yaml-text.js';
import { governorOf } from './governor-settings.js';
import { unknownPolicies } from './policies.js';
import { toScenario } from './read-scenario.js';
import type { Scenario } from './scenario.js';
import { type ScenarioEntry, scenarioSchema } from './scenario-schema.js';
import { schemaFindings } from './schema-findings.js';

/** @throws {ConfigurationError} `unreadable`, `malformed`, `invalid`: with every problem found. */
export function readScenario(file: string): Scenario {
  return parseScenario(readYamlText(file), file);
}

/** @throws {ConfigurationError} `malformed`, `invalid`. */
export function parseScenario(text: string, source: string): Scenario {
  const { contents, placeOf } = parseYaml(text, source);
  const reader: SettingReader = { placeOf, settings: [], problems: [] };
  readSettings(reader, contents, [], { source });
  const tree = new SettingTree(reader.settings, []);
  const parsed = scenarioSchema.safeParse(tree.root);
  const problems = [...reader.problems, ...tree.problems];
  if (parsed.success) problems.push(...check(parsed.data, tree));
  else problems.push(...schemaFindings(parsed.error.issues, tree));
  const governor = governorOf(reader.settings);
  if ('problems' in governor) problems.push(...governor.problems.filter(isNews(problems)));
  if (!parsed.success || 'problems' in governor || problems.length > 0) throw new ConfigurationError('invalid', problems);
  return toScenario(parsed.data, governor);
}

/** What the scenario's own schema has said of a key is not said again. */
function isNews(problems: readonly Problem[]): (problem: Problem) => boolean {
  const told = new Set(problems.map(({ key }) => key));
  return ({ key }) => !told.has(key);
}

/** What no single value can tell. */
function check(entry: ScenarioEntry, tree: SettingTree): Problem[] {
  const problems: Problem[] = unknownPolicies(entry.policies).map((text) => tree.problemAt(['policies'], text));
  for (const [name, { source, variants }] of Object.entries(entry.streams)) {
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
