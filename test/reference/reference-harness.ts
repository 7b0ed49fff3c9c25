import { credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
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

/** A server for the test that runs, and a client of it. */
export async function startServer(models = ECHOES): Promise<{ server: ReferenceServer; client: GRPCInferenceServiceClient }> {
  const server = await ReferenceServer.start({ models: parseModels(models, 'm.yaml'), port: 0, metricsPort: 0, version: '1.2.3' });
  onTestFinished(() => server.close());
  return { server, client: connectTo(server) };
}

export function connectTo(server: ReferenceServer): GRPCInferenceServiceClient {
  const own = { 'grpc.use_local_subchannel_pool': 1 }; // else clients of one address share their connection
  const client = new (loadProtocol())(`127.0.0.1:${server.port}`, credentials.createInsecure(), own);
  onTestFinished(() => client.close());
  return client;
}
