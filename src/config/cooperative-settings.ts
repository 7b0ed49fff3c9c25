/**
 * `models.<name>.cooperative`: what decision scripts and scenarios declare of a model whose work can be cut (rules.md 12). It is no
 * parameter of the node, which serves no text yet and refuses it as unknown.
 */
import { z } from 'zod';
import type { CoreConfiguration } from '../core/configuration.js';
import { type Cooperative, cooperativeFaults, FILL_UNTIL } from '../core/quanta/cooperative.js';
import { micros } from '../core/units.js';
import { issueProblems } from './issue-problems.js';
import type { Problem } from './problem.js';
import type { Setting } from './setting.js';
import { SettingTree } from './setting-tree.js';

const MAX_RUNTIME_US = 3_600_000_000;
const MAX_TOKENS = 1_000_000;
const DEFAULT_MAX_TOKENS = 4096;

function whole(min: number, max: number, unit: string) {
  const error = `expected a whole number from ${min} to ${max} (${unit})`;
  return z.int(error).min(min, error).max(max, error);
}

function real(min: number, max: number, unit: string) {
  const error = `expected a number from ${min} to ${max} (${unit})`;
  return z.number(error).min(min, error).max(max, error);
}

const schema = z.strictObject(
  {
    base_cost_us: whole(1, MAX_RUNTIME_US, 'us'),
    prefill_per_token_us: real(0, MAX_TOKENS, 'us').default(0),
    tokens_per_second: real(0.001, MAX_TOKENS, 'tokens/s'),
    min_tokens: whole(1, MAX_TOKENS, 'tokens').default(1),
    max_total_tokens: whole(1, MAX_TOKENS, 'tokens').default(DEFAULT_MAX_TOKENS),
    fill_until: z.enum(FILL_UNTIL, `expected one of ${FILL_UNTIL.join(', ')}`).default('arrival'),
  },
  'expected a group with base_cost_us and tokens_per_second',
);

export interface CooperativeSettings {
  /** By model. */
  readonly models: ReadonlyMap<string, Cooperative>;
  /** Everything else that was written. */
  readonly rest: readonly Setting[];
  readonly problems: readonly Problem[];
}

/** Whether a parameter of this name belongs here. */
export function isCooperative(path: readonly string[]): boolean {
  return path[0] === 'models' && path[2] === 'cooperative';
}

/** Why a node refuses it. */
export const NO_PARAMETER = 'no parameter of the node, which takes no text yet: only vig decide and vig simulate know it; leave it out';

/** @param settings under the names of parameters. */
export function readCooperative(settings: readonly Setting[]): CooperativeSettings {
  const own = settings.filter(({ path }) => isCooperative(path));
  const rest = settings.filter(({ path }) => !isCooperative(path));
  const tree = new SettingTree(own);
  const problems: Problem[] = [...tree.problems];
  const models = new Map<string, Cooperative>();
  for (const name of new Set(own.map(({ path }) => path[1] ?? ''))) {
    const at = (path: readonly PropertyKey[]) => ['models', name, 'cooperative', ...path.map(String)];
    const parsed = schema.safeParse(groupIn(tree, name));
    if (!parsed.success) {
      const written = {
        holds: (path: readonly PropertyKey[]) => tree.holds(at(path)),
        problemAt: (path: readonly PropertyKey[], text: string) => tree.problemAt(at(path), text),
      };
      problems.push(...issueProblems(parsed.error.issues, schema, written));
      continue;
    }
    const cooperative = toCooperative(parsed.data);
    for (const { key, text } of cooperativeFaults(cooperative, traitsOf(rest, name))) {
      problems.push(tree.problemAt(at(key === undefined ? [] : [key]), text));
    }
    models.set(name, cooperative);
  }
  return { models, rest, problems };
}

/** The configuration with what was declared of its models. */
export function withCooperative(configuration: CoreConfiguration, models: ReadonlyMap<string, Cooperative>): CoreConfiguration {
  return {
    ...configuration,
    models: configuration.models.map((model) => {
      const cooperative = models.get(model.name);
      return cooperative === undefined ? model : { ...model, cooperative };
    }),
  };
}

function groupIn(tree: SettingTree, model: string): unknown {
  const group = tree.names('models').get(model);
  return typeof group === 'object' && group !== null && 'cooperative' in group ? group.cooperative : undefined;
}

/** Of a model that is not described at all the parameters are missed elsewhere. */
function traitsOf(settings: readonly Setting[], model: string): { variants: number; stateful: boolean } {
  const own = settings.filter(({ path }) => path[0] === 'models' && path[1] === model);
  const variants = new Set(own.flatMap(({ path }) => (path[2] === 'variants' ? [path[3]] : [])));
  return { variants: variants.size, stateful: own.some(({ path, value }) => path[2] === 'stateful' && value === true) };
}

function toCooperative(group: z.output<typeof schema>): Cooperative {
  return {
    baseCostUs: micros(group.base_cost_us),
    prefillPerTokenUs: group.prefill_per_token_us,
    tokensPerSecond: group.tokens_per_second,
    minTokens: group.min_tokens,
    maxTotalTokens: group.max_total_tokens,
    fillUntil: group.fill_until,
  };
}
