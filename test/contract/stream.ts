import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import type { ModelStreamInferResponse__Output } from '../../src/triton/generated/inference/ModelStreamInferResponse.js';
import { counts, floats, request, streamed } from './client.js';
import { SEVERAL } from './models.js';
import type { ContractServer } from './server.js';

const named = (model: string, id: string) => request(model, floats(1), { id });
const ids = (answers: readonly ModelStreamInferResponse__Output[]) => answers.map(({ infer_response }) => infer_response?.id);

const isLast = ({ infer_response }: ModelStreamInferResponse__Output) => infer_response?.parameters['triton_final_response']?.bool_param;

/** ModelStreamInfer. */
export function describeStream(server: () => ContractServer, client: () => GRPCInferenceServiceClient): void {
  describe('stream', () => {
    test('answers come in the order of the requests, across models; the stream ends after them', async () => {
      const { answers, end } = await streamed(client(), [named('slow', '1'), named('echo', '2'), named('slow', '3')]);
      expect(ids(answers)).toEqual(['1', '2', '3']);
      expect(answers.map(({ error_message }) => error_message)).toEqual(['', '', '']);
      expect(end).toBe('OK');
    });

    test('each answer is whole and says that it is the last of its request', async () => {
      const { answers } = await streamed(client(), [request('echo', floats(1, 2))]);
      expect(answers).toMatchObject([
        {
          infer_response: {
            model_name: 'echo',
            model_version: '1',
            outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['2'] }],
            raw_output_contents: [floats(1, 2)],
            parameters: { triton_final_response: { bool_param: true } },
          },
        },
      ]);
    });

    test('an error is an answer with the id of its request, and the stream goes on', async () => {
      const { answers, end } = await streamed(client(), [
        named('nobody', 'bad'),
        request('echo', floats(1), { id: 'worse', inputs: [] }),
        named('echo', 'good'),
      ]);
      expect(ids(answers)).toEqual(['bad', 'worse', 'good']);
      expect(answers.map(({ error_message }) => error_message !== '')).toEqual([true, true, false]);
      expect(answers[0]?.error_message).toContain('nobody');
      expect(end).toBe('OK');
    });

    test('a decoupled model answers here', async () => {
      const { answers } = await streamed(client(), [named('decoupled', 'one')]);
      expect(answers).toMatchObject([{ error_message: '', infer_response: { id: 'one', raw_output_contents: [floats(1)] } }]);
    });

    test('several answers of one request say which is the last', async () => {
      const before = await counts(client(), 'several');
      const { answers } = await streamed(client(), [named('several', 'one')]);
      expect(ids(answers)).toEqual(Array<string>(SEVERAL).fill('one'));
      expect(answers.map(({ infer_response }) => infer_response?.raw_output_contents)).toEqual(Array<Buffer[]>(SEVERAL).fill([floats(1)]));
      expect(answers.map(isLast)).toEqual([...Array<boolean>(SEVERAL - 1).fill(false), true]);
      await expect.poll(() => counts(client(), 'several')).toEqual({ success: before.success + 1, fail: before.fail });
    });

    test('answers of a decoupled model neither wait for others nor keep others waiting', async () => {
      const { answers } = await streamed(client(), [named('slow', '1'), named('several', '2'), named('several', '3'), named('echo', '4')]);
      const fromSeveral = [...Array<string>(SEVERAL).fill('2'), ...Array<string>(SEVERAL).fill('3')];
      expect(ids(answers)).toEqual([...fromSeveral, '1', '4']);
      const others = await streamed(client(), [named('several', '1'), named('echo', '2')]);
      expect(ids(others.answers)).toEqual(['2', ...Array<string>(SEVERAL).fill('1')]);
    });

    test('a stream without requests ends well', async () => {
      expect(await streamed(client(), [])).toEqual({ answers: [], end: 'OK' });
    });

    test('what a cancelled stream has asked for runs to its end and is counted', async () => {
      const before = await counts(client(), 'slow');
      const stream = client().ModelStreamInfer();
      const ended = new Promise((resolve) => stream.once('error', resolve));
      for (const id of ['1', '2']) stream.write(named('slow', id));
      await expect.poll(() => server().metric('nv_inference_pending_request_count', 'slow')).toBe(1);
      stream.cancel();
      await ended;
      await expect.poll(() => counts(client(), 'slow'), { timeout: 5000 }).toEqual({ success: before.success + 2, fail: before.fail });
    });
  });
}
