import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import { RpcFailure } from './rpc-failure.js';
import type { SharedMemory, SharedRegion } from './shared-memory.js';
import { unary } from './unary.js';

type Handlers = Pick<
  GRPCInferenceServiceHandlers,
  'SystemSharedMemoryStatus' | 'SystemSharedMemoryRegister' | 'SystemSharedMemoryUnregister'
>;

export function memoryService(memory: SharedMemory): Handlers {
  return {
    SystemSharedMemoryStatus: unary(({ name }) => ({
      regions: Object.fromEntries(named(memory, name).map((region) => [region.name, status(region)])),
    })),
    SystemSharedMemoryRegister: unary(({ name, key, offset, byte_size }) => {
      memory.register(name, key, Number(offset), Number(byte_size));
      return {};
    }),
    SystemSharedMemoryUnregister: unary(({ name }) => {
      if (name === '') memory.unregisterAll();
      else memory.unregister(name);
      return {};
    }),
  };
}

function named(memory: SharedMemory, name: string): SharedRegion[] {
  if (name === '') return memory.list();
  const region = memory.find(name);
  if (region === undefined) throw new RpcFailure('NOT_FOUND', `Unable to find system shared memory region: '${name}'`);
  return [region];
}

function status({ name, key, offset, byteSize }: SharedRegion) {
  return { name, key, offset, byte_size: byteSize };
}
