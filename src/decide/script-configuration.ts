/** The configuration of a script, checked by the rules of the node's own parameters. */
import { toCoreConfiguration } from '../config/core-configuration.js';
import { ConfigurationError } from '../config/problem.js';
import type { Setting } from '../config/setting.js';
import { validate } from '../config/validate.js';
import type { CoreConfiguration } from '../core/configuration.js';
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

export interface Configured {
  readonly configuration: CoreConfiguration | ConfigurationError;
  readonly names: DeclaredNames;
}

const NODE = { name: 'governor', namespace: '/' };

export function configure(written: readonly Setting[]): Configured {
  const script = settingsOf(written);
  return { configuration: check(script), names: declaredIn(script.settings) };
}

function check({ settings, problems, keyInScript }: ScriptSettings): CoreConfiguration | ConfigurationError {
  try {
    return toCoreConfiguration(validate(settings, problems, NODE).parameters, CLOCK_ORIGIN_US);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const renamed = error.problems.map(({ key, ...rest }) => ({ ...rest, ...(key === undefined ? {} : { key: keyInScript(key) }) }));
    return new ConfigurationError(error.code, renamed, { cause: error });
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
