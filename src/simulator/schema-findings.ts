/** The scenario schema's findings in the words of the file. */
import { z } from 'zod';
import { nearestName } from '../config/nearest.js';
import type { Problem } from '../config/problem.js';
import type { SettingTree } from '../config/setting-tree.js';
import { scenarioSchema } from './scenario-schema.js';

const groupJson = z.looseObject({
  properties: z.record(z.string(), z.unknown()).default({}),
  additionalProperties: z.unknown(),
});
const ROOT = z.toJSONSchema(scenarioSchema, { io: 'input' });

/** A misspelt key first: that the right one is missing only follows from it. */
export function schemaFindings(issues: readonly z.core.$ZodIssue[], tree: SettingTree): Problem[] {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.path, issue.keys, tree) : []));
  const wrong = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [] : [wrongValue(issue, tree)]));
  return [...unknown, ...wrong];
}

function unknownKeys(path: readonly PropertyKey[], keys: readonly string[], tree: SettingTree): Problem[] {
  const known = keysAt(path.map(String));
  return keys.map((key) => {
    const nearest = nearestName(key, known);
    const remedy = nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`;
    return tree.problemAt([...path.map(String), key], `no such key; ${remedy}`);
  });
}

function wrongValue(issue: z.core.$ZodIssue, tree: SettingTree): Problem {
  const path = issue.path.filter((step) => typeof step !== 'number').map(String);
  return tree.problemAt(path, tree.holds(path) ? issue.message : `is missing; ${issue.message}`);
}

function keysAt(path: readonly string[]): readonly string[] {
  let node: unknown = ROOT;
  for (const key of path) {
    const group = groupJson.parse(node);
    node = group.properties[key] ?? group.additionalProperties;
  }
  return Object.keys(groupJson.parse(node).properties);
}
