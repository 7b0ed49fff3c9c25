/** The configuration of a script, checked by the rules of the node's own parameters. */
import { readCooperative, withCooperative } from '../config/cooperative-settings.js';
import { toCoreConfiguration } from '../config/core-configuration.js';
import { noSuch } from '../config/no-such.js';
import { ConfigurationError, type Problem, withoutConsequences } from '../config/problem.js';
import type { Setting } from '../config/setting.js';
import { validate } from '../config/validate.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { ContractChange } from '../core/events.js';
import { CLOCK_ORIGIN_US } from '../core/units.js';
import type { ServedName } from './script.js';
import { type ScriptSettings, settingsOf } from './script-settings.js';

/** What can be named in events and expectations, whether or not the rest is right. */
export interface DeclaredNames {
  readonly backends: readonly string[];
  /** With their models. */
  readonly streams: ReadonlyMap<string, string>;
  readonly variants: readonly DeclaredVariant[];
  /** Models whose work can be cut. */
  readonly cooperative: ReadonlySet<string>;
}

/** The configuration as it stands in the script. */
export interface WrittenSettings {
  readonly settings: readonly Setting[];
  /** What could not be read. */
  readonly problems: readonly Problem[];
}

export interface DeclaredVariant extends ServedName {
  readonly model: string;
  readonly variant: string;
}

const NODE = { name: 'governor', namespace: '/' };
const CHANGEABLE = /^streams\.[^.]+\.contract\./;

export class ScriptConfiguration {
  /** Refused, where it cannot be run. */
  readonly initial: CoreConfiguration | ConfigurationError;
  readonly names: DeclaredNames;
  #written: readonly Setting[];

  constructor({ settings, problems }: WrittenSettings) {
    const script = settingsOf(settings, problems);
    this.initial = check(script, problems);
    this.names = declaredIn(script.settings, problems);
    this.#written = settings;
  }

  /** New values for some settings. All of them take the place of the old ones, or none does. */
  change(settings: readonly Setting[]): readonly ContractChange[] | ConfigurationError {
    const fixed = settings.filter(({ path }) => !CHANGEABLE.test(path.join('.')));
    if (fixed.length > 0) {
      const text = 'cannot change while the node runs; expected streams.<name>.contract and below it what changes';
      return new ConfigurationError(
        'invalid',
        fixed.map(({ path, place }) => ({ place, key: path.join('.'), text })),
      );
    }
    const unknown = settings.filter(({ path }) => !this.names.streams.has(path[1] ?? ''));
    if (unknown.length > 0) {
      const known = new Map(this.names.streams);
      return new ConfigurationError(
        'invalid',
        unknown.map(({ path, place }) => ({ place, key: path.join('.'), text: noSuch('stream', path[1] ?? '', known) })),
      );
    }
    const written = [...this.#written, ...settings];
    const configuration = check(settingsOf(written), []);
    if (configuration instanceof ConfigurationError) return configuration;
    this.#written = written;
    const changed = new Set(settings.map(({ path }) => path[1]));
    return configuration.streams.filter(({ name }) => changed.has(name)).map(({ name, contract }) => ({ stream: name, contract }));
  }
}

function check(
  { settings, problems, unreadable, keyInScript }: ScriptSettings,
  asWritten: readonly Problem[],
): CoreConfiguration | ConfigurationError {
  try {
    const { models, rest, problems: wrong } = readCooperative(settings);
    const { parameters } = validate(rest, [...unreadable, ...wrong], NODE);
    if (problems.length > 0) return new ConfigurationError('invalid', problems);
    return withCooperative(toCoreConfiguration(parameters, CLOCK_ORIGIN_US), models);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const known = [...asWritten, ...problems];
    const renamed = error.problems
      .filter((problem) => !unreadable.includes(problem))
      .map(({ key, ...rest }) => ({ ...rest, ...(key === undefined ? {} : { key: keyInScript(key) }) }));
    return new ConfigurationError(error.code, [...known, ...withoutConsequences(renamed, known)], { cause: error });
  }
}

/** What could not be read is declared all the same. */
function declaredIn(settings: readonly Setting[], unreadable: readonly Problem[]): DeclaredNames {
  const paths = [...settings.map(({ path }) => path), ...unreadable.map(({ key = '' }) => key.split('.'))];
  const names = (section: string) => [...new Set(paths.flatMap(([own, name]) => (own === section && name !== undefined ? [name] : [])))];
  const text = (path: readonly string[]) => String(settings.find((setting) => setting.path.join('.') === path.join('.'))?.value ?? '');
  const variants = settings
    .filter(({ path }) => path[0] === 'models' && path[2] === 'variants' && path[4] === 'backend_model')
    .map(({ path: [, model = '', , variant = ''], value }) => ({
      model,
      variant,
      backend: text(['models', model, 'backend']),
      backendModel: String(value),
    }));
  const streams = new Map(names('streams').map((stream) => [stream, text(['streams', stream, 'model'])]));
  const cooperative = new Set(
    paths.flatMap(([section, model = '', group]) => (section === 'models' && group === 'cooperative' ? [model] : [])),
  );
  return { backends: names('backends'), streams, variants, cooperative };
}
