/** The events of a script: each right in itself, in order of time, about what there is. */
import { ConfigurationError, type Place, type Problem } from '../config/problem.js';
import { readSettings, type SettingReader } from '../config/setting.js';
import type { YamlPath, YamlTree, YamlValue } from '../config/yaml-tree.js';
import { type Micros, micros } from '../core/units.js';
import { EVENT_SCHEMAS } from './event-schema.js';
import type { Names } from './names.js';
import type { Arrivals, ScriptEvent, ScriptLine } from './script.js';
import type { ScriptConfiguration } from './script-configuration.js';
import { readTagged, type Tagged } from './tagged.js';

const MAX_REQUESTS = 100_000;

type TaggedEvent = Tagged<typeof EVENT_SCHEMAS>;

interface ReadEvent {
  readonly tagged: TaggedEvent;
  readonly path: YamlPath;
}

export function readLines(
  items: readonly YamlValue[],
  tree: YamlTree,
  names: Names,
  configuration: ScriptConfiguration,
  problems: Problem[],
): ScriptLine[] {
  const read: ReadEvent[] = [];
  items.forEach((item, index) => {
    const path = ['events', index];
    const tagged = readTagged(EVENT_SCHEMAS, item, path, tree, problems);
    if (tagged !== undefined) read.push({ tagged, path });
  });
  const problemAt = (path: YamlPath, text: string, value?: string) => problems.push(tree.problemAt(path, text, value));
  checkOrder(read, problemAt);
  collectIds(read, tree, names, problemAt);
  const change = (path: YamlPath) => changeAt([...path, 'reconfigure'], tree, configuration);
  return read.map((one) => ({ atUs: one.tagged.data.at_ms, ...eventOf(one, names, change, problemAt) }));
}

type Report = (path: YamlPath, text: string, value?: string) => void;
/** By the keys below one event. */
type ReportUnder = (keys: readonly string[], text: string, value?: string) => void;
type DataOf<Kind extends TaggedEvent['kind']> = Extract<TaggedEvent, { kind: Kind }>['data'];

function checkOrder(events: readonly ReadEvent[], report: Report): void {
  let latest = Number.NEGATIVE_INFINITY;
  for (const { tagged, path } of events) {
    const at = tagged.data.at_ms;
    if (at < latest)
      report([...path, 'at_ms'], `comes after an event at ${latest / 1000} ms; events stand in order of time`, String(at / 1000));
    latest = Math.max(latest, at);
  }
}

/** Ids first: an event may speak of a request that arrives later. */
function collectIds(events: readonly ReadEvent[], tree: YamlTree, names: Names, report: Report): void {
  const places = new Map<string, Place | undefined>();
  for (const { tagged, path } of events) {
    if (tagged.kind !== 'arrive') continue;
    for (const id of idsOf(tagged.data)) {
      if (places.has(id)) {
        const line = places.get(id)?.line;
        report([...path, 'id'], `is used already${line === undefined ? '' : ` in line ${line}`}; every request needs an id of its own`, id);
        break;
      }
      places.set(id, tree.placeAt([...path, 'id']));
      names.ids.set(id, tagged.data.arrive);
    }
    if (places.size > MAX_REQUESTS) {
      report([...path, 'repeat'], `makes more than ${MAX_REQUESTS} requests; expected fewer`);
      break;
    }
  }
}

function idsOf({ id, repeat }: { readonly id: string; readonly repeat?: { readonly times: number } | undefined }): string[] {
  return repeat === undefined ? [id] : Array.from({ length: repeat.times }, (_, index) => `${id}.${index + 1}`);
}

function eventOf({ tagged, path }: ReadEvent, names: Names, change: (path: YamlPath) => ScriptEvent, report: Report): ScriptEvent {
  const under: ReportUnder = (keys, text, value) => report([...path, ...keys], text, value);
  const check = (key: string, value: string, wrong: string | undefined) => {
    if (wrong !== undefined) under([key], wrong, value);
  };
  switch (tagged.kind) {
    case 'arrive':
      check('arrive', tagged.data.arrive, names.unknownStream(tagged.data.arrive));
      checkGenerating(tagged.data, names.isCooperative(tagged.data.arrive), path, report);
      return arrivals(tagged.data);
    case 'complete':
      check('complete', tagged.data.complete, names.unknownId(tagged.data.complete));
      checkGenerated(tagged.data, names, path, report);
      return { ...tagged.data, kind: 'complete', id: tagged.data.complete };
    case 'timeout':
      check('timeout', tagged.data.timeout, names.unknownId(tagged.data.timeout));
      return { kind: 'timeout', id: tagged.data.timeout };
    case 'cancel':
      check('cancel', tagged.data.cancel, names.unknownId(tagged.data.cancel));
      return { kind: 'cancel', id: tagged.data.cancel };
    case 'ready':
      return readyOf(tagged.data, names, under);
    case 'round_trip': {
      const { backend, p90_ms: p90Us } = tagged.data.round_trip;
      return { kind: 'round_trip', backend: backendOf(backend, names, 'round_trip', under), p90Us };
    }
    case 'counter':
      return { kind: 'counter', ...counterOf(tagged.data, names, under) };
    case 'witness':
      return witnessOf(tagged.data, names, under);
    case 'clock_jump_ms':
      return { kind: 'clock_jump' };
    case 'reconfigure':
      return change(path);
    default:
      return { kind: tagged.kind };
  }
}

function readyOf({ ready }: DataOf<'ready'>, names: Names, report: ReportUnder): ScriptEvent {
  const { backend, value } = ready;
  const unknown = backend === undefined ? undefined : names.unknownBackend(backend);
  if (unknown !== undefined) report(['ready'], unknown, backend);
  const models = names.variants(ready);
  if (models.length === 0) report(['ready'], 'no variant is meant; expected the names of a backend, a model and a variant that there are');
  return { kind: 'ready', models, value };
}

function witnessOf({ at_ms, witness }: DataOf<'witness'>, names: Names, report: ReportUnder): ScriptEvent {
  const { present, polled_at_ms: polledUs = at_ms } = witness;
  const backend = backendOf(witness.backend, names, 'witness', report);
  if (polledUs > at_ms) report(['witness', 'polled_at_ms'], POLLED_LATER);
  return { kind: 'witness', backend, present, polledUs };
}

/** The one backend, where none is named. */
function backendOf(named: string | undefined, names: Names, event: string, report: ReportUnder): string {
  const backend = named ?? names.onlyBackend;
  if (backend === undefined) {
    report([event], `says not which backend; expected backend: ${names.backends.join(' or ')}`);
    return '';
  }
  const unknown = names.unknownBackend(backend);
  if (unknown !== undefined) report([event], unknown, backend);
  return backend;
}

const POLLED_LATER = 'lies after at_ms; a server answers after it was asked';

/** Which model is counted: named as its backend knows it, or by a stream that runs on its first variant. */
function counterOf({ at_ms, counter }: DataOf<'counter'>, names: Names, report: ReportUnder) {
  const { backend, backend_model: backendModel, stream, completed, polled_at_ms: polledUs = at_ms } = counter;
  if (polledUs > at_ms) report(['counter', 'polled_at_ms'], POLLED_LATER);
  if ((stream === undefined) === (backendModel === undefined)) report(['counter'], 'expected backend_model or stream, one of them');
  const unknown = stream === undefined ? undefined : names.unknownStream(stream);
  if (unknown !== undefined) report(['counter', 'stream'], unknown, stream);
  const candidates = names.variants({ backend, model: stream === undefined ? undefined : names.modelOf(stream) });
  const model = candidates.find((one) => backendModel === undefined || one.backendModel === backendModel);
  if (model === undefined && unknown === undefined) {
    const known = [...new Set(names.variants({}).map((one) => `${one.backend}: ${one.backendModel}`))];
    report(['counter'], `no such model; expected one of ${known.join(', ')}`, backendModel);
  }
  return { model: model ?? { backend: '', backendModel: '' }, completed, polledUs };
}

const ONLY_COOPERATIVE = 'means nothing to a model that is not cooperative; give that models.<name>.cooperative, or leave this out';
const PROMPT = ['prompt_tokens', 'max_tokens', 'unknown_sampling'] as const;

function checkGenerating(data: DataOf<'arrive'>, cooperative: boolean, path: YamlPath, report: Report): void {
  for (const key of PROMPT) if (data[key] !== undefined && !cooperative) report([...path, key], ONLY_COOPERATIVE, String(data[key]));
}

function checkGenerated({ complete, quantum, end }: DataOf<'complete'>, names: Names, path: YamlPath, report: Report): void {
  const stream = names.ids.get(complete);
  if (stream === undefined || names.isCooperative(stream)) return;
  const told = Object.entries({ quantum, ...(end.result === 'ok' ? end.generated : {}) });
  for (const [key, value] of told) if (value !== undefined) report([...path, key], ONLY_COOPERATIVE, String(value));
}

/** What a change says is read as parameters are. */
function changeAt(path: YamlPath, tree: YamlTree, configuration: ScriptConfiguration): ScriptEvent {
  const place = tree.placeAt(path) ?? { source: '' };
  const reader: SettingReader = { placeOf: tree.placeOf, settings: [], problems: [] };
  readSettings(reader, tree.nodeAt(path), [], place);
  if (reader.problems.length > 0) return { kind: 'refused', problems: reader.problems };
  const changed = configuration.change(reader.settings);
  return changed instanceof ConfigurationError
    ? { kind: 'refused', problems: changed.problems }
    : { kind: 'reconfigure', contracts: changed };
}

function arrivals(data: DataOf<'arrive'>): Arrivals {
  const captureUs: Micros = data.capture_ms ?? data.at_ms;
  return {
    kind: 'arrive',
    stream: data.arrive,
    ids: idsOf(data),
    everyUs: data.repeat?.every_ms ?? micros(0),
    captureUs,
    stampUs: data.stamp_ms ?? captureUs,
    ...(data.runtime_ms === undefined ? {} : { runtimeUs: data.runtime_ms }),
    prompt: {
      ...(data.prompt_tokens === undefined ? {} : { promptTokens: data.prompt_tokens }),
      ...(data.max_tokens === undefined ? {} : { maxTokens: data.max_tokens }),
      ...(data.unknown_sampling === undefined ? {} : { unknownSampling: data.unknown_sampling }),
    },
  };
}
