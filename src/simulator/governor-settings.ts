/** The part of a scenario that the governor is told, checked by the rules of the node's own parameters. */
import { readCooperative, withCooperative } from '../config/cooperative-settings.js';
import { toCoreConfiguration } from '../config/core-configuration.js';
import { ConfigurationError, type Place, type Problem } from '../config/problem.js';
import type { Setting } from '../config/setting.js';
import { validate } from '../config/validate.js';
import type { CoreConfiguration } from '../core/configuration.js';

const NODE = { name: 'governor', namespace: '/' };
/** The one backend of a scenario. */
export const BACKEND = 'default';
const DEFAULTS_PLACE: Place = { source: 'defaults of scenarios' };

const BACKEND_KEYS = ['slots', 'pipelining_depth', 'pipelining_lead_ms', 'no_corun'];
const STREAM_KEYS = ['class', 'queue', 'contract'];
const VARIANT_KEYS = ['quality', 'quality_source', 'preprocess_us'];

/** @param written with the keys of the scenario as paths. */
export function governorOf(written: readonly Setting[]): CoreConfiguration | { readonly problems: readonly Problem[] } {
  try {
    const { models, rest, problems } = readCooperative([...defaults(written), ...written.flatMap(move)]);
    return withCooperative(toCoreConfiguration(validate(rest, problems, NODE).parameters), models);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problems: error.problems.map(({ key, ...rest }) => ({ ...rest, ...(key === undefined ? {} : { key: keyInScenario(key) }) })) };
  }
}

/** Where a parameter of the scenario stands among those of the node. Profiles depend on the load and come later. */
function move(setting: Setting): Setting[] {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = setting.path;
  if (first === 'scheduling' || first === 'learning' || first === 'overload') return [setting];
  if (first === 'backend' && BACKEND_KEYS.includes(second)) return [{ ...setting, path: ['backends', BACKEND, second] }];
  if (first !== 'streams') return [];
  if (STREAM_KEYS.includes(third)) return [setting];
  if (third === 'cooperative') return [{ ...setting, path: ['models', ...setting.path.slice(1)] }];
  if (third === 'variants' && VARIANT_KEYS.includes(fifth)) return [{ ...setting, path: ['models', second, 'variants', fourth, fifth] }];
  return [];
}

/** Each stream has a model of its own name; captures jitter as the source does, unless the contract says otherwise. */
function defaults(written: readonly Setting[]): Setting[] {
  const found = new Map<string, Setting>();
  const add = (path: readonly string[], value: Setting['value'], place: Place) => {
    const key = path.join('.');
    if (!found.has(key)) found.set(key, { path, value, place });
  };
  add(['backends', BACKEND, 'slots'], 1, DEFAULTS_PLACE);
  add(['backends', BACKEND, 'pipelining_depth'], 0, DEFAULTS_PLACE);
  for (const { path, value, place } of written) {
    const [section, stream = '', group, variant = '', key] = path;
    if (section !== 'streams') continue;
    add(['streams', stream, 'topic'], `/${stream}`, place);
    add(['streams', stream, 'model'], stream, place);
    add(['models', stream, 'backend'], BACKEND, place);
    if (group === 'variants' && key !== undefined)
      add(['models', stream, 'variants', variant, 'backend_model'], `${stream}.${variant}`, place);
    if (group === 'source' && variant === 'jitter_ms') add(['streams', stream, 'contract', 'extension', 'release_jitter_ms'], value, place);
  }
  return [...found.values()];
}

function keyInScenario(key: string): string {
  return key.replace(/^backends\.default\b/, 'backend').replace(/^models\./, 'streams.');
}
