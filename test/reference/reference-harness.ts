import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, vi } from 'vitest';
import { ExecutionLog } from '../../src/reference/execution-log.js';
import { parseModels } from '../../src/reference/model-file.js';
import { ReferenceServer } from '../../src/reference/server.js';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { loadProtocol } from '../../src/triton/protocol.js';

const TENSORS = 'inputs: [{name: IN, datatype: FP32, shape: [N]}], outputs: [{name: OUT, datatype: FP32, shape: [N]}]';

/** Echoes of FP32: one that is done at once, one that needs 200 ms. */
const ECHOES = `models:
  echo: {behaviour: echo, ${TENSORS}}
  slow: {behaviour: echo, runtime: {fixed_ms: 200}, ${TENSORS}}
`;

export interface Started {
  readonly server: ReferenceServer;
  readonly client: GRPCInferenceServiceClient;
  /** Resolves when so many executions have begun. */
  executing(executions: number): Promise<void>;
}

/** A server for the test that runs, and a client of it. */
export async function startServer(models = ECHOES): Promise<Started> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-reference-'));
  const file = path.join(folder, 'executions');
  const executions = new ExecutionLog(file);
  const options = { models: parseModels(models, 'm.yaml'), port: 0, metricsPort: 0, version: '1.2.3', executions };
  const server = await ReferenceServer.start(options);
  onTestFinished(async () => {
    await server.close();
    executions.close();
    rmSync(folder, { recursive: true });
  });
  const begun = () => readFileSync(file, 'utf8').split('"begin"').length - 1;
  const executing = (wanted: number) => vi.waitFor(() => expect(begun()).toBe(wanted), { timeout: 10_000, interval: 5 });
  return { server, client: connectTo(server), executing };
}

export function connectTo(server: ReferenceServer): GRPCInferenceServiceClient {
  const own = { 'grpc.use_local_subchannel_pool': 1 }; // else clients of one address share their connection
  const client = new (loadProtocol())(`127.0.0.1:${server.port}`, credentials.createInsecure(), own);
  onTestFinished(() => client.close());
  return client;
}
