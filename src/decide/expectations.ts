/** What a script says must follow, and must not. */
import type { Place, Problem } from '../config/problem.js';
import type { YamlTree, YamlValue } from '../config/yaml-tree.js';
import { EXPECTATION_SCHEMAS } from './expectation-schema.js';
import type { Names } from './names.js';
import type { Expectation, StateKind } from './script.js';
import { readTagged, showItem, type Tagged } from './tagged.js';

export function readExpectations(
  items: readonly YamlValue[],
  list: 'expect' | 'never',
  tree: YamlTree,
  names: Names,
  problems: Problem[],
): Expectation[] {
  return items.flatMap((item, index) => {
    const path = [list, index];
    const tagged = readTagged(EXPECTATION_SCHEMAS, item, path, tree, problems);
    if (tagged === undefined) return [];
    const { before_ms: beforeUs, at_ms: atUs } = tagged.data;
    const wrong = wrongName(tagged, names);
    if (wrong !== undefined) problems.push(tree.problemAt([...path, wrong.key], wrong.text, wrong.value));
    if (beforeUs !== undefined && list === 'expect')
      problems.push(tree.problemAt([...path, 'before_ms'], 'is for never; here expected at_ms, or nothing'));
    const place: Place = tree.placeAt(path) ?? { source: '' };
    const common = {
      place,
      text: showItem(item),
      ...(atUs === undefined ? {} : { atUs }),
      ...(beforeUs === undefined ? {} : { beforeUs }),
    };
    return [{ ...common, ...contentOf(tagged) }];
  });
}

type TaggedExpectation = Tagged<typeof EXPECTATION_SCHEMAS>;

function contentOf(tagged: TaggedExpectation) {
  switch (tagged.kind) {
    case 'held':
      return { kind: tagged.kind, value: tagged.data.held, ...backendOf(tagged.data) };
    case 'quarantined':
      return { kind: tagged.kind, value: tagged.data.quarantined, ...backendOf(tagged.data) };
    case 'level':
      return { kind: tagged.kind, value: tagged.data.level, ...backendOf(tagged.data) };
    case 'ready':
      return { kind: tagged.kind, value: tagged.data.ready, ...backendOf(tagged.data) };
    default:
      return { kind: 'action' as const, fields: fieldsOf(tagged) };
  }
}

function backendOf({ backend }: { readonly backend?: string | undefined }) {
  return backend === undefined ? {} : { backend };
}

function fieldsOf(tagged: Exclude<TaggedExpectation, { kind: StateKind }>): Record<string, string | number> {
  const given = (fields: Record<string, string | number | undefined>): Record<string, string | number> =>
    Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string | number] => entry[1] !== undefined));
  const { kind: action } = tagged;
  switch (tagged.kind) {
    case 'dispatch':
      return given({ action, id: tagged.data.dispatch, variant: tagged.data.variant });
    case 'outcome':
      return given({ action, id: tagged.data.outcome, state: tagged.data.state, cause: tagged.data.cause, variant: tagged.data.variant });
    case 'veto':
      return given({ action, id: tagged.data.veto, by: tagged.data.by, variant: tagged.data.variant });
    case 'violation':
      return { action, stream: tagged.data.violation };
    case 'late_answer':
      return { action, id: tagged.data.late_answer };
    case 'wake':
      return { action, wake_ms: tagged.data.wake / 1000 };
    case 'error':
      return { action, key: tagged.data.error };
  }
}

interface WrongName {
  readonly key: string;
  readonly value: string;
  readonly text: string;
}

function wrongName({ kind, data }: TaggedExpectation, names: Names): WrongName | undefined {
  const wrong = (key: string, value: string, text: string | undefined) => (text === undefined ? undefined : { key, value, text });
  switch (kind) {
    case 'dispatch':
      return wrong(kind, data.dispatch, names.unknownId(data.dispatch));
    case 'outcome':
      return wrong(kind, data.outcome, names.unknownId(data.outcome));
    case 'veto':
      return (
        wrong(kind, data.veto, names.unknownId(data.veto)) ??
        wrong('by', data.by ?? '', data.by === undefined ? undefined : names.unknownStream(data.by))
      );
    case 'violation':
      return wrong(kind, data.violation, names.unknownStream(data.violation));
    case 'late_answer':
      return wrong(kind, data.late_answer, names.unknownId(data.late_answer));
    case 'held':
    case 'quarantined':
    case 'level':
    case 'ready':
      return data.backend === undefined ? undefined : wrong('backend', data.backend, names.unknownBackend(data.backend));
    default:
      return undefined;
  }
}
