/** Our parameters on the ROS node, so that ros2 param list, get and describe show them. They were checked before; here they are shown. */
import { type FlatParameter, flattenParameters } from '../config/flatten.js';
import type { Parameters } from '../config/schema.js';
import { PARAMETER_TYPES, type RclNode, type Rclnodejs, type RclParameterDescriptor, type RclRange } from './binding.js';

export function declareParameters(rcl: Rclnodejs, node: RclNode, parameters: Parameters): void {
  const flat = flattenParameters(parameters);
  node.declareParameters(
    flat.map(({ name, kind, value }) => new rcl.Parameter(name, PARAMETER_TYPES[kind], value)),
    flat.map((parameter) => describe(rcl, parameter)),
  );
}

function describe(rcl: Rclnodejs, parameter: FlatParameter): RclParameterDescriptor {
  const { name, kind, description, readOnly, constraints } = parameter;
  const descriptor = new rcl.ParameterDescriptor(name, PARAMETER_TYPES[kind], description, readOnly, rangeOf(rcl, parameter));
  descriptor.additionalConstraints = constraints;
  return descriptor;
}

/** Step 0: any value between the ends. */
function rangeOf(rcl: Rclnodejs, { kind, range }: FlatParameter): RclRange | null {
  if (range === undefined) return null;
  if (kind === 'integer') return new rcl.IntegerRange(BigInt(range.min), BigInt(range.max), 0n);
  return new rcl.FloatingPointRange(range.min, range.max, 0);
}
