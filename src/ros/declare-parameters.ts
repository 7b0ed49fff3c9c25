/** Our parameters on the ROS node, so that ros2 param list, get and describe show them. They were checked before; here they are shown. */
import { type FlatParameter, flattenParameters } from '../config/flatten.js';
import type { Parameters } from '../config/schema.js';
import { PARAMETER_TYPES, type RclNode, type Rclnodejs, type RclParameterDescriptor } from './binding.js';

export function declareParameters(rcl: Rclnodejs, node: RclNode, parameters: Parameters): void {
  const flat = flattenParameters(parameters);
  node.declareParameters(
    flat.map(({ name, kind, value }) => new rcl.Parameter(name, PARAMETER_TYPES[kind], bindingValue(kind, value))),
    flat.map((parameter) => describe(rcl, parameter)),
  );
}

/** The binding widens a whole number by itself, but not a list of them. */
function bindingValue(kind: FlatParameter['kind'], value: FlatParameter['value']): unknown {
  return kind === 'integer_array' && Array.isArray(value) ? value.map(BigInt) : value;
}

function describe(rcl: Rclnodejs, parameter: FlatParameter): RclParameterDescriptor {
  const { name, kind, description, readOnly, constraints } = parameter;
  const descriptor = new rcl.ParameterDescriptor(name, PARAMETER_TYPES[kind], description, readOnly);
  descriptor.additionalConstraints = constraints;
  if (!readOnly) descriptor.validateParameter = () => {}; // who accepts the change says why not, the binding does not
  const message = descriptor.toMessage();
  descriptor.toMessage = () => ({ ...message, ...rangeFields(parameter) }); // the binding leaves the range out of the message
  return descriptor;
}

/** Step 0: any value between the ends. */
function rangeFields({ kind, range }: FlatParameter): object {
  if (range === undefined) return {};
  if (kind === 'integer') return { integer_range: [{ from_value: BigInt(range.min), to_value: BigInt(range.max), step: 0n }] };
  return { floating_point_range: [{ from_value: range.min, to_value: range.max, step: 0 }] };
}
