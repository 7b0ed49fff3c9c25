/** Parameters that change while the node runs: the contracts. */
import { flattenParameters } from './flatten.js';
import type { NodeName } from './node-name.js';
import { refuseHopeless } from './plan.js';
import type { Setting } from './setting.js';
import { type Configuration, validate } from './validate.js';

/** Where a problem of a change is: it was not written in a file. */
const PLACE = { source: 'change' };

export interface ParameterChange {
  /** Dotted. */
  readonly name: string;
  readonly value: Setting['value'];
}

/**
 * The configuration with some parameters changed, checked as a whole. What the node shows counts: a value that was derived from another
 * one at the start no longer follows it.
 * @throws {ConfigurationError} `invalid`, with everything that is wrong.
 */
export function changeParameters(configuration: Configuration, changes: readonly ParameterChange[], node: NodeName): Configuration {
  const setting = ({ name, value }: ParameterChange): Setting => ({ path: name.split('.'), value, place: PLACE });
  const settings = [...flattenParameters(configuration.parameters), ...changes].map(setting);
  const changed = validate(settings, [], node);
  refuseHopeless(changed);
  return { ...configuration, parameters: changed.parameters };
}
