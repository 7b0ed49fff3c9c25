/** The schema's findings in the words of the parameter file. */
import type { z } from 'zod';
import { isCooperative, NO_PARAMETER } from './cooperative-settings.js';
import { NAME_RULE } from './field.js';
import { expectation, type FieldNode, isField, nodeAt } from './fields.js';
import { nearestParameter } from './nearest.js';
import type { Problem } from './problem.js';
import type { Setting } from './setting.js';
import type { SettingTree } from './setting-tree.js';

export function schemaProblems(issues: readonly z.core.$ZodIssue[], tree: SettingTree): Problem[] {
  const misspelt = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => nearestParameter([...issue.path.map(String), key])) : [],
  );
  // That the right one is missing only follows from it.
  const isMisspelt = (path: readonly string[]) => misspelt.includes(path.join('.')) && !tree.holds(path);
  const problems = issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown([...path, key], tree));
    if (issue.code === 'invalid_key') return [tree.problemAt(path, `not a usable name: expected ${NAME_RULE}`)];
    return isMisspelt(path) ? [] : [wrongValue(path, tree)];
  });
  // One list with several wrong elements is one problem.
  return [...new Map(problems.map((problem) => [problem.key, problem])).values()];
}

function unknown(path: readonly string[], tree: SettingTree): Problem {
  if (isCooperative(path)) return tree.problemAt(path, NO_PARAMETER);
  const nearest = nearestParameter(path);
  const parent = nodeAt(path.slice(0, -1));
  const known = parent === undefined ? '' : `; expected ${expectation(parent)}`;
  return tree.problemAt(path, `no such parameter${nearest === undefined ? known : `; did you mean ${nearest}?`}`);
}

function wrongValue(issuePath: readonly string[], tree: SettingTree): Problem {
  // An issue inside a list is about the list: that is what the author wrote.
  const path = nodeAt(issuePath) === undefined ? issuePath.slice(0, -1) : issuePath;
  const node = nodeAt(path);
  if (node === undefined) throw new Error(`the schema reports ${issuePath.join('.')}, which it does not have`);
  if (!tree.holds(path)) return missing(node, path, tree);
  return tree.problemAt(path, `expected ${expectation(node)}${quotes(node, tree.valueAt(path))}`);
}

/** Names the first parameter that has to be there, not the group around it. */
function missing(node: FieldNode, path: readonly string[], tree: SettingTree): Problem {
  if (isField(node)) return tree.problemAt(path, `is missing; expected ${expectation(node)}`);
  const [key, child] = [...node.keys].find(([, candidate]) => !isField(candidate) || candidate.required) ?? [];
  if (key === undefined || child === undefined) throw new Error(`${path.join('.')} is required, but nothing in it is`);
  return missing(child, [...path, key === '*' ? '<name>' : key], tree);
}

function quotes(node: FieldNode, value: Setting['value'] | undefined): string {
  if (!isField(node) || value === undefined) return '';
  if (node.kind === 'string' && typeof value !== 'string') return '; put it in quotes';
  const isNumber = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return (node.kind === 'integer' || node.kind === 'double') && isNumber ? ', without quotes' : '';
}
