/** From settings as written to checked parameters, or to everything that is wrong with them. */
import type { z } from 'zod';
import { backendSchema } from './backend-schema.js';
import { crossCheck, type Declared } from './cross-checks.js';
import { learningSchema } from './learning-schema.js';
import { modelSchema } from './model-schema.js';
import type { NodeName } from './node-name.js';
import { overloadSchema } from './overload-schema.js';
import { ConfigurationError, type Place, type Problem, withoutConsequences } from './problem.js';
import { type Parameters, parametersSchema } from './schema.js';
import { schemaProblems } from './schema-problems.js';
import type { Setting } from './setting.js';
import { SettingTree } from './setting-tree.js';
import { streamSchema } from './stream-schema.js';

export interface Configuration {
  readonly parameters: Parameters;
  /** ROS's own parameter, which a file may set for the node. */
  readonly useSimTime: boolean;
  /** Where a parameter or group was written, or what stands around it. */
  readonly placeOf: (path: readonly string[]) => Place | undefined;
}

/** Parameters of every ROS node, which the ROS libraries read for themselves. */
const USE_SIM_TIME = 'use_sim_time';
const ROS_PARAMETERS: readonly string[] = [USE_SIM_TIME, 'start_type_description_service'];

/**
 * @param settings in the order they count: the last one of a name wins.
 * @param known problems already found; reported together with those found here.
 * @throws {ConfigurationError} `invalid`.
 */
export function validate(settings: readonly Setting[], known: readonly Problem[], node: NodeName): Configuration {
  const latest = new Map(settings.map((setting) => [setting.path.join('.'), setting]));
  const unreadable = [...known, ...ROS_PARAMETERS.flatMap((name) => notABoolean(name, latest.get(name)))];
  const useSimTime = latest.get(USE_SIM_TIME)?.value === true;
  for (const name of ROS_PARAMETERS) latest.delete(name);

  const tree = new SettingTree(latest.values());
  const parsed = parametersSchema.safeParse(tree.root);
  const found = [...tree.problems];
  if (!parsed.success) found.push(...schemaProblems(parsed.error.issues, tree));
  for (const { path, text } of crossCheck(declaredIn(tree, known), node)) found.push(tree.problemAt(path, text));
  const problems = [...unreadable, ...withoutConsequences(found, known)];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError('invalid', problems);
  return { parameters: parsed.data, useSimTime, placeOf: (path) => tree.placeOf(path) };
}

function notABoolean(name: string, setting: Setting | undefined): Problem[] {
  if (setting === undefined || typeof setting.value === 'boolean') return [];
  return [{ place: setting.place, key: name, text: 'expected true or false' }];
}

/** What is right in itself is checked against the rest even when something else is wrong, so that all problems show at once. */
function declaredIn(tree: SettingTree, known: readonly Problem[]): Declared {
  const entries = <S extends z.ZodType>(section: 'backends' | 'models' | 'streams', schema: S) =>
    parsedEntries([...unreadableNames(section, known), ...tree.names(section)], schema);
  return {
    backends: entries('backends', backendSchema),
    models: entries('models', modelSchema),
    streams: entries('streams', streamSchema),
    overload: overloadSchema.safeParse(tree.root['overload'] ?? {}).data,
    learning: learningSchema.safeParse(tree.root['learning'] ?? {}).data,
  };
}

/** What could not be read is declared all the same: that nobody else can refer to it is no second mistake. */
function unreadableNames(section: string, known: readonly Problem[]): (readonly [string, undefined])[] {
  return known.flatMap(({ key = '' }) => {
    const [own, name] = key.split('.');
    return own === section && name !== undefined ? [[name, undefined] as const] : [];
  });
}

function parsedEntries<S extends z.ZodType>(
  entries: readonly (readonly [string, unknown])[],
  schema: S,
): Map<string, z.output<S> | undefined> {
  return new Map(entries.map(([name, raw]) => [name, schema.safeParse(raw).data]));
}
