import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import type { InferParameter } from '../../src/triton/generated/inference/InferParameter.js';
import { codeOf, counts, floats, infer, inRegion, request, service, taken, unary } from './client.js';
import type { ContractServer } from './server.js';

const BYTES = 8192;
const KEYS = { in: `/vig-contract-${process.pid}-in`, out: `/vig-contract-${process.pid}-out` } as const;
const file = (key: string) => `/dev/shm${key}`;

/** A request whose input lies in shared memory, and its output too when `output` says where. */
function placed(model: string, shape: number, input: Record<string, InferParameter>, output?: Record<string, InferParameter>) {
  return {
    model_name: model,
    inputs: [{ name: 'IN', datatype: 'FP32', shape: [shape], parameters: input }],
    outputs: output === undefined ? [] : [{ name: 'OUT', parameters: output }],
  };
}

/** System shared memory: registrations, and tensors in them. */
export function describeSharedMemory(server: () => ContractServer, client: () => GRPCInferenceServiceClient): void {
  const register = (name: string, key: string, offset = 0, byte_size = BYTES) =>
    unary(client(), service.SystemSharedMemoryRegister, { name, key, offset, byte_size });
  const unregister = (name: string) => unary(client(), service.SystemSharedMemoryUnregister, { name });
  const status = async (name = '') => (await unary(client(), service.SystemSharedMemoryStatus, { name })).regions;
  const make = (key: string, bytes = Buffer.alloc(BYTES)) => writeFileSync(file(key), bytes);
  const bothRegions = async () => {
    make(KEYS.in, Buffer.concat([floats(1, 2, 3, 4), Buffer.alloc(BYTES - 16)]));
    make(KEYS.out);
    await register('in', KEYS.in);
    await register('out', KEYS.out);
  };

  describe('shared memory', () => {
    afterEach(async () => {
      await unregister('');
      for (const key of Object.values(KEYS)) rmSync(file(key), { force: true });
    });

    test('a region is listed from its registration to its end', async () => {
      make(KEYS.in);
      expect(await status()).toEqual({});
      await register('in', KEYS.in, 4096, 4096);
      const region = { name: 'in', key: KEYS.in, offset: '4096', byte_size: '4096' };
      expect(await status()).toEqual({ in: region });
      expect(await status('in')).toEqual({ in: region });
      await unregister('in');
      expect(await status()).toEqual({});
      expect(await codeOf(status('in'))).toBe('NOT_FOUND');
    });

    test('a name is given once', async () => {
      make(KEYS.in);
      await register('in', KEYS.in);
      expect(await codeOf(register('in', KEYS.in))).toBe('ALREADY_EXISTS');
    });

    test('what cannot be mapped is not registered', async () => {
      make(KEYS.in);
      expect(await codeOf(register('none', `${KEYS.in}-none`))).toBe('INTERNAL');
      expect(await codeOf(register('elsewhere', '/../etc/passwd'))).toBe('INTERNAL');
      expect(await codeOf(register('long', KEYS.in, 0, BYTES + 1))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(register('late', KEYS.in, 4096, BYTES))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(register('between', KEYS.in, 16, 16))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(register('empty', KEYS.in, 0, 0))).toBe('INVALID_ARGUMENT');
      expect(await status()).toEqual({});
    });

    test('ending a registration that does not exist is no error, ending all of them leaves none', async () => {
      expect(await codeOf(unregister('nobody'))).toBe('OK');
      await bothRegions();
      await unregister('');
      expect(await status()).toEqual({});
    });

    test('an input is read from its region, at its offset', async () => {
      await bothRegions();
      const { raw_output_contents } = await infer(client(), placed('echo', 2, inRegion('in', 8, 4)));
      expect(raw_output_contents).toEqual([floats(2, 3)]);
    });

    test('an output is written to its region and leaves an empty entry in the answer', async () => {
      await bothRegions();
      const { outputs, raw_output_contents } = await infer(client(), placed('echo', 4, inRegion('in', 16), inRegion('out', 32, 64)));
      expect(outputs).toMatchObject([{ name: 'OUT', datatype: 'FP32', shape: ['4'] }]);
      expect(raw_output_contents).toEqual([Buffer.alloc(0)]);
      expect(readFileSync(file(KEYS.out)).subarray(60, 84)).toEqual(Buffer.concat([Buffer.alloc(4), floats(1, 2, 3, 4), Buffer.alloc(4)]));
    });

    test('inputs outside of a region are refused', async () => {
      await bothRegions();
      const code = (shape: number, place: Record<string, InferParameter>) => codeOf(infer(client(), placed('echo', shape, place)));
      expect(await code(1, inRegion('nobody', 4))).toBe('NOT_FOUND');
      expect(await code(2049, inRegion('in', BYTES + 4))).toBe('INVALID_ARGUMENT');
      expect(await code(4, inRegion('in', 16, BYTES - 4))).toBe('INVALID_ARGUMENT');
      expect(await code(4, inRegion('in', 16, -4))).toBe('INVALID_ARGUMENT');
      expect(await code(4, inRegion('in', 8))).toBe('INVALID_ARGUMENT');
      expect(await code(4, { shared_memory_region: { string_param: 'in' } })).toBe('INVALID_ARGUMENT');
      expect(await code(4, { shared_memory_region: { string_param: 'in' }, shared_memory_byte_size: { string_param: '16' } })).toBe(
        'INVALID_ARGUMENT',
      );
      const twice = {
        ...placed('echo', 1, inRegion('in', 4)),
        inputs: [{ name: 'IN', datatype: 'FP32', shape: [1], parameters: inRegion('in', 4), contents: { fp32_contents: [1] } }],
      };
      expect(await codeOf(infer(client(), twice))).toBe('INVALID_ARGUMENT');
    });

    test('outputs outside of a region are refused before the model runs', async () => {
      await bothRegions();
      const before = await counts(client(), 'echo');
      const code = (place: Record<string, InferParameter>) => codeOf(infer(client(), placed('echo', 4, inRegion('in', 16), place)));
      expect(await code(inRegion('nobody', 16))).toBe('NOT_FOUND');
      expect(await code(inRegion('out', 16, BYTES - 4))).toBe('INVALID_ARGUMENT');
      expect(await counts(client(), 'echo')).toEqual(before);
    });

    test('an output that does not fit its place fails after a counted success, and nothing is written', async () => {
      await bothRegions();
      const before = await counts(client(), 'echo');
      expect(await codeOf(infer(client(), placed('echo', 4, inRegion('in', 16), inRegion('out', 8))))).toBe('INTERNAL');
      expect(readFileSync(file(KEYS.out))).toEqual(Buffer.alloc(BYTES));
      await expect.poll(() => counts(client(), 'echo')).toEqual({ success: before.success + 1, fail: before.fail });
    });

    test('a region in use stays registered, and a waiting call sees what is written to it meanwhile', async () => {
      await bothRegions();
      const running = infer(client(), request('slow'));
      await taken();
      const waiting = infer(client(), placed('slow', 1, inRegion('in', 4)));
      await expect.poll(() => server().metric('nv_inference_pending_request_count', 'slow')).toBe(1);
      expect(await codeOf(unregister('in'))).toBe('INTERNAL');
      expect(await codeOf(unregister(''))).toBe('INTERNAL');
      expect(Object.keys(await status())).toEqual(['in']);
      const open = openSync(file(KEYS.in), 'r+');
      writeSync(open, floats(9), 0, 4, 0);
      closeSync(open);
      await running;
      expect((await waiting).raw_output_contents).toEqual([floats(9)]);
      await expect.poll(() => codeOf(unregister('in'))).toBe('OK');
    });
  });
}
