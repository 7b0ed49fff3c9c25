import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { ExecutionLog } from '../../src/reference/execution-log.js';
import { parseModels } from '../../src/reference/model-file.js';
import { ReferenceServer } from '../../src/reference/server.js';
import { loadProtocol } from '../../src/triton/protocol.js';

const MODELS = `models:
  slow: {behaviour: echo, runtime: {fixed_ms: 50}, inputs: [{name: IN, datatype: FP32, shape: [1]}], outputs: [{name: OUT, datatype: FP32, shape: [1]}]}
`;

test('what runs is written down when it begins and when it ends; what is refused is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vig-executions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const executions = new ExecutionLog(file);
  onTestFinished(() => executions.close());
  const server = await ReferenceServer.start({ models: parseModels(MODELS, 'm.yaml'), port: 0, metricsPort: 0, version: '1', executions });
  onTestFinished(() => server.close());
  const client = new (loadProtocol())(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const infer = (id: string, shape: number[]) =>
    new Promise((resolve) =>
      client.ModelInfer(
        { model_name: 'slow', id, inputs: [{ name: 'IN', datatype: 'FP32', shape }], raw_input_contents: [Buffer.alloc(4)] },
        resolve,
      ),
    );
  await Promise.all([infer('a', [1]), infer('b', [1])]);
  expect(await infer('c', [7])).toMatchObject({ code: expect.any(Number) });
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(lines.map(({ event, model, id, pid }) => [event, model, id, pid])).toEqual(
    (['begin a', 'end a', 'begin b', 'end b'] as const).map((text) => [...text.split(' ').toSpliced(1, 0, 'slow'), process.pid]),
  );
  const [begin, end] = lines.map(({ monotonic_us }) => monotonic_us);
  expect(end - begin).toBeGreaterThan(40_000);
});
