/** Findings of the schema of a file in the words of that file: what was written where, and what would be right. */
import { z } from 'zod';
import { nearestName } from './nearest.js';
import type { Problem } from './problem.js';
import type { YamlPath } from './yaml-tree.js';

/** The way from a place in the values back to the file. */
export interface Written {
  /** Whether anything was written there. */
  holds(path: YamlPath): boolean;
  problemAt(path: YamlPath, text: string): Problem;
}

/** @param schema with an error text for everything that can be wrong, each completing "name is value: …" and "is missing; …". */
export function issueProblems(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, written: Written): Problem[] {
  // A misspelt key first: that the right one is missing only follows from it.
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue, schema, written) : []));
  const wrong = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [] : [wrongValue(issue, written)]));
  // One list with several wrong elements is one problem.
  const news = new Map([...unknown.map(({ problem }) => problem), ...wrong].toReversed().map((problem) => [problem.key, problem]));
  const meant = new Set(unknown.map(({ meant }) => meant));
  return [...news.values()].toReversed().filter(({ key }) => key === undefined || !meant.has(key));
}

interface UnknownKey {
  readonly problem: Problem;
  /** The key in the place of which it stands, where that is missing. */
  readonly meant: string | undefined;
}

function unknownKeys({ path, keys }: z.core.$ZodIssueUnrecognizedKeys, schema: z.ZodType, written: Written): UnknownKey[] {
  const at = yamlPath(path);
  const known = keysAt(schema, at);
  return keys.map((key) => {
    const nearest = nearestName(key, known);
    const expected = known.length === 0 ? '' : `; expected one of ${known.join(', ')}`;
    const problem = written.problemAt([...at, key], `no such key${nearest === undefined ? expected : `; did you mean ${nearest}?`}`);
    const isMissing = nearest !== undefined && !written.holds([...at, nearest]);
    return { problem, meant: isMissing ? written.problemAt([...at, nearest], '').key : undefined };
  });
}

function wrongValue(issue: z.core.$ZodIssue, written: Written): Problem {
  const path = yamlPath(issue.path);
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return written.problemAt(path, written.holds(path) ? message : `is missing; ${message}`);
}

function yamlPath(path: readonly PropertyKey[]): YamlPath {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

const nodeJson = z.looseObject({
  properties: z.record(z.string(), z.unknown()).default({}),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
});

/** The keys that a group of the schema knows. */
export function keysAt(schema: z.ZodType, path: YamlPath): string[] {
  let node: unknown = z.toJSONSchema(schema, { io: 'input' });
  for (const step of path) {
    const group = nodeJson.safeParse(node).data;
    node = typeof step === 'number' ? group?.items : (group?.properties[step] ?? group?.additionalProperties);
  }
  return Object.keys(nodeJson.safeParse(node).data?.properties ?? {});
}
