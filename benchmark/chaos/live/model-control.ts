/** Loads and unloads models at a server, as an operator would. */
import { credentials } from '@grpc/grpc-js';
import type { GRPCInferenceServiceClient } from '../../../src/triton/generated/inference/GRPCInferenceService.js';
import { loadProtocol } from '../../../src/triton/protocol.js';

const LIMIT_MS = 10_000;

export async function unload(endpoint: string, model: string): Promise<void> {
  await ask(endpoint, (client, done) => client.RepositoryModelUnload({ model_name: model }, { deadline: Date.now() + LIMIT_MS }, done));
}

/** Also where it is loaded: then it changes nothing, once it was loaded by command. */
export async function load(endpoint: string, model: string): Promise<void> {
  await ask(endpoint, (client, done) => client.RepositoryModelLoad({ model_name: model }, { deadline: Date.now() + LIMIT_MS }, done));
}

export async function isReady(endpoint: string, model: string): Promise<boolean> {
  let ready = false;
  await ask(endpoint, (client, done) =>
    client.ModelReady({ name: model }, { deadline: Date.now() + LIMIT_MS }, (error, answer) => {
      ready = answer?.ready === true;
      done(error);
    }),
  );
  return ready;
}

/** Over a connection of its own. @throws {Error} what the server said, or why it said nothing. */
function ask(endpoint: string, call: (client: GRPCInferenceServiceClient, done: (error: Error | null) => void) => unknown): Promise<void> {
  const client = new (loadProtocol())(endpoint, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  return new Promise<void>((resolve, reject) => {
    call(client, (error) => (error === null ? resolve() : reject(error)));
  }).finally(() => client.close());
}
