/** The configuration of a script as parameters of the node: short forms written out, defaults of scripts filled in. */
import { nodeAt } from '../config/fields.js';
import type { Place, Problem } from '../config/problem.js';
import { type Setting, showValue } from '../config/setting.js';

export interface ScriptSettings {
  readonly settings: readonly Setting[];
  readonly problems: readonly Problem[];
  /** What could not be read, under the names of parameters. */
  readonly unreadable: readonly Problem[];
  /** The name of a parameter as the script has it. */
  readonly keyInScript: (key: string) => string;
}

const BACKEND = 'default';
/** Numbers in scripts are what they seem: nothing is learned, nothing is added. */
const DEFAULTS: readonly (readonly [string, Setting['value']])[] = [
  ['scheduling.policy', 'ordered'],
  ['learning.margin_percent', 100],
  ['learning.adapt', false],
  ['overload.enabled', false],
];
const DEFAULT_PLACE: Place = { source: 'defaults of scripts' };

/** What says how messages travel, and nothing about decisions. */
const NO_EFFECT: readonly RegExp[] = [
  /^backends\.[^.]+\.(type|endpoint|transport|timeout_ms|tls|model_repository)(\.|$)/,
  /^models\.[^.]+\.(input|output)(\.|$)/,
  /^models\.[^.]+\.variants\.[^.]+\.version$/,
  /^streams\.[^.]+\.(topic|type|stamp_source|stamp_offset_ms|future_tolerance_ms|qos|publish_obsolete|max_message_bytes)(\.|$)/,
];

const MAX_RUNTIME_MS = 3_600_000;
const PERCENTILE = /^p(50|95|99)_ms$/;

/**
 * @param written with the keys of the script as paths.
 * @param unreadable what else was written: it is there, though nobody can tell what it says.
 */
export function settingsOf(written: readonly Setting[], unreadable: readonly Problem[] = []): ScriptSettings {
  const problems: Problem[] = [];
  const inline = new Set(written.filter(({ path }) => isInlineVariant(path)).map(({ path }) => path[1] ?? ''));
  const known = [...written.map(({ path }) => path), ...unreadable.map(({ key = '' }) => key.split('.'))];
  const short = known.some(([section]) => section === 'backend');
  const keyInScript = (key: string) => renameBack(key, short, inline);
  const refuse = ({ path, place, value }: Setting, text: string) =>
    problems.push({ place, key: path.join('.'), value: showValue(value), text });
  /** A group that stands beside another one is one mistake, whatever it holds. */
  const refuseGroup = ({ path, place }: Setting, depth: number, text: string) => {
    const key = path.slice(0, depth).join('.');
    if (!problems.some((problem) => problem.key === key)) problems.push({ place, key, text });
  };

  const settings: Setting[] = [];
  for (const setting of written) {
    const moved = { ...setting, path: moveTo(setting.path) };
    const key = moved.path.join('.');
    if (NO_EFFECT.some((pattern) => pattern.test(key))) refuse(setting, 'has no effect on decisions; leave it out');
    else if (short && setting.path[0] === 'backends') refuseGroup(setting, 1, 'stands beside backend; keep one of them');
    else if (inline.has(setting.path[1] ?? '') && isSecondModel(setting.path))
      refuseGroup(
        setting,
        setting.path[0] === 'models' ? 2 : 3,
        `stream ${setting.path[1]} has variants of its own, which are its model; keep one of them`,
      );
    else settings.push(...runtimeSettings(moved, refuse, setting));
  }
  const backends = new Set(known.flatMap((path) => (path[0]?.startsWith('backend') ? [moveTo(path)[1] ?? ''] : [])));
  return {
    settings: [...settings, ...missing(settings, inline, backends)],
    problems: [...problems, ...placeless(settings, inline, backends)],
    unreadable: unreadable.map(asParameter),
    keyInScript,
  };
}

/** What tells of the model of a stream, and stands with the stream. */
const OF_MODEL: readonly (string | undefined)[] = ['variants', 'cooperative'];

function isInlineVariant(path: readonly string[]): boolean {
  return path[0] === 'streams' && path[2] === 'variants';
}

function isSecondModel(path: readonly string[]): boolean {
  return path[0] === 'models' || (path[0] === 'streams' && path[2] === 'model');
}

function asParameter({ key = '', ...problem }: Problem): Problem {
  return { ...problem, key: moveTo(key.split('.')).join('.') };
}

/** `backend` is the one backend; variants of a stream belong to a model of its name. */
function moveTo(path: readonly string[]): readonly string[] {
  if (path[0] === 'backend') return ['backends', BACKEND, ...path.slice(1)];
  return path[0] === 'streams' && OF_MODEL.includes(path[2]) ? ['models', ...path.slice(1)] : path;
}

/** Runtimes stand in milliseconds beside the quality, as in scenarios. */
function runtimeSettings(moved: Setting, refuse: (setting: Setting, text: string) => void, written: Setting): Setting[] {
  const [, percentile] = PERCENTILE.exec(moved.path[4] ?? '') ?? [];
  if (moved.path[0] !== 'models' || moved.path[2] !== 'variants' || moved.path.length !== 5 || percentile === undefined) return [moved];
  const { value } = moved;
  const us = typeof value === 'number' ? Math.round(value * 1000) : Number.NaN;
  if (!(us >= 1 && us <= MAX_RUNTIME_MS * 1000)) {
    refuse(written, `expected a duration in milliseconds from 0.001 to ${MAX_RUNTIME_MS}`);
    return [];
  }
  return [{ ...moved, path: [...moved.path.slice(0, 4), 'profile', `p${percentile}_us`], value: us }];
}

/** What a parameter file must say and a script need not. */
function missing(settings: readonly Setting[], inline: ReadonlySet<string>, backends: ReadonlySet<string>): Setting[] {
  const present = new Map(settings.map((setting) => [setting.path.join('.'), setting]));
  const added: Setting[] = [];
  const add = (path: readonly string[], value: Setting['value'], place: Place) => {
    if (!present.has(path.join('.'))) added.push({ path, value, place });
  };
  for (const [key, value] of DEFAULTS) if (nodeAt(key.split('.')) !== undefined) add(key.split('.'), value, DEFAULT_PLACE);
  for (const [backend, place] of namesIn(settings, 'backends')) add(['backends', backend, 'pipelining_depth'], 0, place);
  const [backend = BACKEND] = backends;
  for (const [model, place] of namesIn(settings, 'models')) {
    if (backends.size <= 1 || inline.has(model)) add(['models', model, 'backend'], backend, place);
  }
  if (isBackendMissing(settings, backends)) add(['backends', BACKEND, 'slots'], 1, DEFAULT_PLACE);
  for (const [stream, place] of namesIn(settings, 'streams')) add(['streams', stream, 'topic'], `/${stream}`, place);
  for (const stream of inline) {
    const place = settings.find(({ path }) => path[0] === 'models' && path[1] === stream)?.place ?? DEFAULT_PLACE;
    add(['streams', stream, 'model'], stream, place);
    add(['streams', stream, 'topic'], `/${stream}`, place);
  }
  for (const [path, place] of variantsIn(settings)) {
    add([...path, 'backend_model'], `${path[1]}_${path[3]}`, place);
    const [p50, p99] = [50, 99].map((percentile) => present.get([...path, 'profile', `p${percentile}_us`].join('.'))?.value);
    if (typeof p50 === 'number' && typeof p99 === 'number') add([...path, 'profile', 'p95_us'], Math.floor((p50 + p99) / 2), place);
  }
  return added;
}

/** Where models run cannot be left out: the rest is checked as if it were said. */
function placeless(settings: readonly Setting[], inline: ReadonlySet<string>, backends: ReadonlySet<string>): Problem[] {
  const place = (model?: string) =>
    settings.find(({ path }) => path[0] === 'models' && (model === undefined || path[1] === model))?.place ?? DEFAULT_PLACE;
  if (isBackendMissing(settings, backends)) {
    const text = 'is missing; expected how many calls run at the same time, for instance backend: {slots: 1}';
    return [{ place: place(), key: 'backend', text }];
  }
  if (backends.size <= 1) return [];
  const known = [...backends].join(', ');
  return [...inline].map((stream) => ({
    place: place(stream),
    key: `streams.${stream}.variants`,
    text: `says not on which backend, and there are ${known}; expected models.<name> with these variants and a backend, and its name as streams.${stream}.model`,
  }));
}

function isBackendMissing(settings: readonly Setting[], backends: ReadonlySet<string>): boolean {
  const models = settings.filter(({ path }) => path[0] === 'models');
  return backends.size === 0 && models.length > 0 && models.every(({ path }) => path[2] !== 'backend');
}

function namesIn(settings: readonly Setting[], section: string): Map<string, Place> {
  const named = settings.filter(({ path }) => path[0] === section && path.length > 2).toReversed();
  return new Map(named.map(({ path, place }) => [path[1] ?? '', place]));
}

function variantsIn(settings: readonly Setting[]): Iterable<readonly [readonly string[], Place]> {
  const variants = settings.filter(({ path }) => path[0] === 'models' && path[2] === 'variants' && path.length > 4);
  return new Map(variants.map(({ path, place }) => [path.slice(0, 4).join('.'), [path.slice(0, 4), place] as const])).values();
}

function renameBack(key: string, short: boolean, inline: ReadonlySet<string>): string {
  const path = key.replace(/\.profile\.p(50|95|99)_us$/, '.p$1_ms').split('.');
  if (short && path[0] === 'backends' && path[1] === BACKEND) return ['backend', ...path.slice(2)].join('.');
  if (path[0] === 'models' && OF_MODEL.includes(path[2]) && inline.has(path[1] ?? '')) return ['streams', ...path.slice(1)].join('.');
  return path.join('.');
}
