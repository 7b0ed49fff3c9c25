/** `ros2 param set` on the running node: contracts change, all that is asked for at once or nothing (design.md 3). */
import { type FlatParameter, flattenParameters } from '../config/flatten.js';
import type { ParameterChange } from '../config/live-change.js';
import { ConfigurationError, formatProblem } from '../config/problem.js';
import type { Parameters } from '../config/schema.js';
import { PARAMETER_TYPES, type RclNode, type Rclnodejs, type RclParameter, type RclSetParametersResult } from './binding.js';

/** @throws {ConfigurationError} when the change is refused; nothing has changed then. */
export type ApplyChanges = (changes: readonly ParameterChange[]) => void;

/** To be called after the parameters were declared. */
export function acceptChanges(rcl: Rclnodejs, node: RclNode, parameters: Parameters, apply: ApplyChanges): void {
  const ours = new Map(flattenParameters(parameters).map((parameter) => [parameter.name, parameter]));
  node.addPreSetParametersCallback((given) => given.map((one) => widened(rcl, one, ours.get(one.name))));
  node.addOnSetParametersCallback((given) => decide(given, ours, apply));
}

/** A whole number is taken where a double is declared, as in files: `ros2 param set` sends 80 as an integer. */
function widened(rcl: Rclnodejs, given: RclParameter, ours: FlatParameter | undefined): RclParameter {
  if (ours?.kind !== 'double' || given.type !== PARAMETER_TYPES.integer) return given;
  return new rcl.Parameter(given.name, PARAMETER_TYPES.double, Number(given.value));
}

function decide(given: readonly RclParameter[], ours: ReadonlyMap<string, FlatParameter>, apply: ApplyChanges): RclSetParametersResult {
  const changes: ParameterChange[] = [];
  for (const { name, type, value } of given) {
    if (!ours.has(name)) continue; // those of ROS itself
    if (type === PARAMETER_TYPES.not_set) return refusal(`${name} cannot be deleted; give it another value`);
    const plain = plainValue(value);
    if (plain === undefined) return refusal(`${name}: a parameter of this type is not taken`);
    changes.push({ name, value: plain });
  }
  if (changes.length === 0) return ACCEPTED;
  try {
    apply(changes);
    return ACCEPTED;
  } catch (error) {
    if (error instanceof ConfigurationError)
      return refusal(error.problems.map(({ place: _, ...problem }) => formatProblem(problem)).join('; '));
    throw error;
  }
}

const ACCEPTED: RclSetParametersResult = { successful: true, reason: '' };

function refusal(reason: string): RclSetParametersResult {
  return { successful: false, reason };
}

/** As parameter files give it: the binding has whole numbers as bigint. */
function plainValue(value: unknown): ParameterChange['value'] | undefined {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
  return items.every((item) => typeof item === 'boolean' || typeof item === 'number' || typeof item === 'string') ? items : undefined;
}
