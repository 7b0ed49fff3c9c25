import type { InferParameter__Output } from '../triton/generated/inference/InferParameter.js';
import { RpcFailure } from './rpc-failure.js';
import type { RegionSlice, SharedMemory } from './shared-memory.js';

export type TensorParameters = Readonly<Record<string, InferParameter__Output>>;

/** The part of a shared-memory region that the parameters of a tensor name, if they do. @throws {RpcFailure} when it does not exist. */
export function regionSlice(tensor: string, parameters: TensorParameters, memory: SharedMemory): RegionSlice | undefined {
  const region = parameter(tensor, parameters, 'shared_memory_region', 'string_param');
  if (region === undefined) return undefined;
  const byteSize = parameter(tensor, parameters, 'shared_memory_byte_size', 'int64_param');
  if (byteSize === undefined) {
    const details = `'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '${tensor}'`;
    throw new RpcFailure('INVALID_ARGUMENT', details);
  }
  const offset = parameter(tensor, parameters, 'shared_memory_offset', 'int64_param') ?? '0';
  return memory.slice(region, Number(offset), Number(byteSize));
}

function parameter(tensor: string, parameters: TensorParameters, name: string, kind: 'string_param' | 'int64_param'): string | undefined {
  const given = parameters[name];
  if (given === undefined) return undefined;
  const value = given[kind];
  if (value === undefined)
    throw new RpcFailure('INVALID_ARGUMENT', `invalid value type for '${name}' parameter for tensor '${tensor}', expected ${kind}.`);
  return value;
}
