import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest } from '../../src/triton/generated/inference/ModelInferRequest.js';
import { codeOf, counts, floats, infer, request } from './client.js';

const input = (datatype: string, ...shape: number[]) => ({ name: 'IN', datatype, shape });

/** What is wrong with a request, and the code that it ends with. */
const REFUSED: readonly (readonly [string, string, ModelInferRequest])[] = [
  ['an unknown model', 'NOT_FOUND', request('nobody')],
  ['no model', 'NOT_FOUND', request('')],
  ['an unknown version', 'NOT_FOUND', request('echo', floats(1), { model_version: '7' })],
  ['a version that is no number', 'INVALID_ARGUMENT', request('echo', floats(1), { model_version: 'new' })],
  ['a decoupled model', 'UNIMPLEMENTED', request('decoupled')],
  ['no input', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [] })],
  ['an input of another name', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [{ name: 'X', datatype: 'FP32', shape: [1] }] })],
  [
    'an input too many',
    'INVALID_ARGUMENT',
    { ...request('echo'), inputs: [input('FP32', 1), { ...input('FP32', 1), name: 'X' }], raw_input_contents: [floats(1), floats(1)] },
  ],
  [
    'an input twice',
    'INVALID_ARGUMENT',
    { ...request('echo'), inputs: [input('FP32', 1), input('FP32', 1)], raw_input_contents: [floats(1), floats(1)] },
  ],
  ['another datatype', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [input('INT32', 1)] })],
  ['a datatype that is none', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [input('FLOAT', 1)] })],
  ['another rank', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [input('FP32', 1, 1)] })],
  ['another fixed dimension', 'INVALID_ARGUMENT', request('grid', floats(1, 2), { inputs: [input('FP32', 1, 2, 1, 1)] })],
  ['a negative dimension', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [input('FP32', -1)] })],
  ['too few bytes', 'INVALID_ARGUMENT', request('echo', floats(1), { inputs: [input('FP32', 2)] })],
  ['too many bytes', 'INVALID_ARGUMENT', request('echo', floats(1, 2, 3), { inputs: [input('FP32', 2)] })],
  ['no bytes', 'INVALID_ARGUMENT', request('echo', floats(1), { raw_input_contents: [] })],
  [
    'elements in the field of another type',
    'INVALID_ARGUMENT',
    { model_name: 'echo', inputs: [{ ...input('FP32', 1), contents: { int_contents: [1] } }] },
  ],
  ['too few elements', 'INVALID_ARGUMENT', { model_name: 'echo', inputs: [{ ...input('FP32', 2), contents: { fp32_contents: [1] } }] }],
  [
    'elements and raw bytes at once',
    'INVALID_ARGUMENT',
    request('echo', floats(1), { inputs: [{ ...input('FP32', 1), contents: { fp32_contents: [1] } }] }),
  ],
  ['an unknown output', 'INVALID_ARGUMENT', request('echo', floats(1), { outputs: [{ name: 'X' }] })],
];

const text = (...parts: string[]) =>
  Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(part.length);
      return [length, Buffer.from(part)];
    }),
  );

const texts = (bytes: Buffer, count: number) => request('text', bytes, { inputs: [input('BYTES', count)] });

/** Unary inference: answers, refusals, and what is counted. */
export function describeInference(client: () => GRPCInferenceServiceClient): void {
  const call = (what: ModelInferRequest) => infer(client(), what);

  describe('inference', () => {
    test('an answer names model, version and request, and carries raw bytes', async () => {
      const { model_name, model_version, id, outputs, raw_output_contents } = await call(request('echo', floats(1.5, -2)));
      expect({ model_name, model_version, id }).toEqual({ model_name: 'echo', model_version: '1', id: 'one' });
      expect(outputs).toMatchObject([{ name: 'OUT', datatype: 'FP32', shape: ['2'] }]);
      expect(raw_output_contents).toEqual([floats(1.5, -2)]);
    });

    test('the outputs asked for are the outputs sent', async () => {
      const { outputs } = await call(request('echo', floats(1), { outputs: [{ name: 'OUT' }] }));
      expect(outputs.map(({ name }) => name)).toEqual(['OUT']);
    });

    test('free dimensions follow the input, an empty tensor is one', async () => {
      const grid = request('grid', floats(1, 2, 3, 4, 5, 6), { inputs: [input('FP32', 1, 3, 1, 2)] });
      expect((await call(grid)).outputs).toMatchObject([{ shape: ['1', '3', '1', '2'] }]);
      const empty = await call(request('echo', floats()));
      expect(empty.outputs).toMatchObject([{ shape: ['0'] }]);
      expect(empty.raw_output_contents).toEqual([Buffer.alloc(0)]);
    });

    test('elements may come one by one', async () => {
      const single = { model_name: 'echo', inputs: [{ ...input('FP32', 2), contents: { fp32_contents: [1, 2] } }] };
      expect((await call(single)).raw_output_contents).toEqual([floats(1, 2)]);
    });

    test('text goes through as it is', async () => {
      const bytes = text('one', '', 'three');
      expect((await call(texts(bytes, 3))).raw_output_contents).toEqual([bytes]);
    });

    test.each(REFUSED)('%s ends %s', async (_, code, what) => {
      expect(await codeOf(call(what))).toBe(code);
    });

    test('what is refused is counted nowhere', async () => {
      const before = [await counts(client(), 'echo'), await counts(client(), 'grid')];
      for (const [, , what] of REFUSED) await codeOf(call(what));
      expect([await counts(client(), 'echo'), await counts(client(), 'grid')]).toEqual(before);
    });

    test('a wrong number of texts is refused, a broken text is an execution that failed', async () => {
      const before = await counts(client(), 'text');
      expect(await codeOf(call(texts(text('one'), 2)))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(call(texts(text('one', 'two'), 1)))).toBe('INVALID_ARGUMENT');
      expect(await counts(client(), 'text')).toEqual(before);
      expect(await codeOf(call(texts(text('one').subarray(0, 5), 1)))).toBe('INVALID_ARGUMENT');
      await expect.poll(() => counts(client(), 'text')).toEqual({ success: before.success, fail: before.fail + 1 });
    });

    test('a success is counted once', async () => {
      const before = await counts(client(), 'echo');
      await call(request('echo'));
      await expect.poll(() => counts(client(), 'echo')).toEqual({ success: before.success + 1, fail: before.fail });
    });
  });
}
