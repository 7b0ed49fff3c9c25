/** The contract of a KServe v2 server as this project relies on it: the same for the real Triton and for the reference server. */
import { afterAll, beforeAll } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { describeBatching } from './batching.js';
import { connect } from './client.js';
import { describeDescription } from './description.js';
import { describeEnds } from './ends.js';
import { describeInference } from './inference.js';
import { describeModelControl } from './model-control.js';
import { describeQueue } from './queue.js';
import type { ContractServer, StartServer } from './server.js';
import { describeSharedMemory } from './shared-memory.js';
import { describeStream } from './stream.js';

export function describeContract(start: StartServer): void {
  let running: ContractServer | undefined;
  let connected: GRPCInferenceServiceClient | undefined;
  const server = () => existing(running);
  const client = () => existing(connected);

  beforeAll(async () => {
    running = await start();
    connected = connect(running.endpoint);
  });
  afterAll(async () => {
    connected?.close();
    await running?.stop();
  });

  describeDescription(client);
  describeInference(client);
  describeQueue(server, client);
  describeStream(server, client);
  describeSharedMemory(server, client);
  describeBatching(server, client);
  describeModelControl(server, client);
  describeEnds(start);
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the server did not start');
  return value;
}
