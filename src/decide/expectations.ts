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
      return given({ action, id: tagged.data.dispatch, variant: tagged.data.variant, tokens: tagged.data.tokens });
    case 'tokens':
      return { action: 'dispatch', tokens: tagged.data.tokens };
    case 'outcome':
      return given({ action, id: tagged.data.outcome, state: tagged.data.state, cause: tagged.data.cause, variant: tagged.data.variant });
    case 'veto':
      return given({ action, id: tagged.data.veto, by: tagged.data.by, variant: tagged.data.variant });
    case 'wait': {
      const { wait, until_ms: untilUs, variant } = tagged.data;
      return given({ action, id: wait, until_ms: untilUs === undefined ? undefined : untilUs / 1000, variant });
    }
    case 'violation':
      return { action, stream: tagged.data.violation };
    case 'late_answer':
      return { action, id: tagged.data.late_answer };
    case 'reconciled':
      return given({ action, id: tagged.data.reconciled, by: tagged.data.by });
    case 'restart':
      return given({ action, backend: tagged.data.restart, count: tagged.data.count });
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

/** The first name in it that there is not. */
function wrongName({ kind, data }: TaggedExpectation, names: Names): WrongName | undefined {
  const check = (key: string, value: string | undefined, unknown: (name: string) => string | undefined): WrongName[] => {
    const text = value === undefined ? undefined : unknown(value);
    return value === undefined || text === undefined ? [] : [{ key, value, text }];
  };
  const request = (id: string) => check(kind, id, (name) => names.unknownId(name));
  const variant = (id: string, of: string | undefined) => check('variant', of, (name) => names.unknownVariant(name, id));
  const stream = (key: string, name: string | undefined) => check(key, name, (one) => names.unknownStream(one));
  const wrong = (): WrongName[] => {
    switch (kind) {
      case 'dispatch':
        return [...request(data.dispatch), ...variant(data.dispatch, data.variant)];
      case 'outcome':
        return [...request(data.outcome), ...variant(data.outcome, data.variant)];
      case 'veto':
        return [...request(data.veto), ...stream('by', data.by), ...variant(data.veto, data.variant)];
      case 'wait':
        return [...request(data.wait), ...variant(data.wait, data.variant)];
      case 'violation':
        return stream(kind, data.violation);
      case 'late_answer':
        return request(data.late_answer);
      case 'reconciled':
        return request(data.reconciled);
      case 'restart':
        return check(kind, data.restart, (name) => names.unknownBackend(name));
      case 'held':
      case 'quarantined':
      case 'level':
      case 'ready':
        return check('backend', data.backend, (name) => names.unknownBackend(name));
      default:
        return [];
    }
  };
  return wrong()[0];
}
