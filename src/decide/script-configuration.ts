/** The configuration of a script, checked by the rules of the node's own parameters. */
import { toCoreConfiguration } from '../config/core-configuration.js';
import { ConfigurationError } from '../config/problem.js';
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
  readonly streams: readonly string[];
  readonly variants: readonly DeclaredVariant[];
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

  constructor(written: readonly Setting[]) {
    const script = settingsOf(written);
    this.initial = check(script);
    this.names = declaredIn(script.settings);
    this.#written = written;
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
    const written = [...this.#written, ...settings];
    const configuration = check(settingsOf(written));
    if (configuration instanceof ConfigurationError) return configuration;
    this.#written = written;
    const changed = new Set(settings.map(({ path }) => path[1]));
    return configuration.streams.filter(({ name }) => changed.has(name)).map(({ name, contract }) => ({ stream: name, contract }));
  }
}

function check({ settings, problems, keyInScript }: ScriptSettings): CoreConfiguration | ConfigurationError {
  try {
    const { parameters } = validate(settings, [], NODE);
    return problems.length > 0 ? new ConfigurationError('invalid', problems) : toCoreConfiguration(parameters, CLOCK_ORIGIN_US);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const renamed = error.problems.map(({ key, ...rest }) => ({ ...rest, ...(key === undefined ? {} : { key: keyInScript(key) }) }));
    return new ConfigurationError(error.code, [...problems, ...renamed], { cause: error });
  }
}

function declaredIn(settings: readonly Setting[]): DeclaredNames {
  const names = (section: string) => [...new Set(settings.filter(({ path }) => path[0] === section).map(({ path }) => path[1] ?? ''))];
  const text = (path: readonly string[]) => String(settings.find((setting) => setting.path.join('.') === path.join('.'))?.value ?? '');
  const variants = settings
    .filter(({ path }) => path[0] === 'models' && path[2] === 'variants' && path[4] === 'backend_model')
    .map(({ path: [, model = '', , variant = ''], value }) => ({
      model,
      variant,
      backend: text(['models', model, 'backend']),
      backendModel: String(value),
    }));
  return { backends: names('backends'), streams: names('streams'), variants };
}
