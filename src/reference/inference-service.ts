import { once } from 'node:events';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse } from '../triton/generated/inference/ModelInferResponse.js';
import type { ModelStreamInferResponse } from '../triton/generated/inference/ModelStreamInferResponse.js';
import { CallFaults } from './call-faults.js';
import type { Connections } from './connections.js';
import { execute } from './execution.js';
import type { Faults } from './faults.js';
import type { ModelRunner } from './model-runner.js';
import type { Models } from './models.js';
import { asFailure, RpcFailure } from './rpc-failure.js';
import type { SharedMemory } from './shared-memory.js';
import { unary } from './unary.js';

/** Requests of one stream that may be unanswered; beyond, no more are read. */
const MAX_UNANSWERED = 256;

type Handlers = Pick<GRPCInferenceServiceHandlers, 'ModelInfer' | 'ModelStreamInfer'>;
type InferStream = ServerDuplexStream<ModelInferRequest__Output, ModelStreamInferResponse>;

type Infer = (request: ModelInferRequest__Output, peer: string) => Promise<ModelInferResponse>;

export function inferenceService(models: Models, memory: SharedMemory, faults: Faults, connections: Pick<Connections, 'reset'>): Handlers {
  const infer = async (request: ModelInferRequest__Output, peer: string, check: (runner: ModelRunner) => void) => {
    const met = new CallFaults(faults, connections, request.model_name, peer);
    await met.reach('arrival');
    const runner = models.get(request.model_name, request.model_version);
    check(runner);
    const response = await execute(runner, request, memory, () => met.reach('execution'));
    await met.reach('answer');
    return response;
  };
  return {
    ModelInfer: unary((request, peer) => infer(request, peer, refuseDecoupled)),
    ModelStreamInfer: (stream) => {
      serve(stream, (request, peer) => infer(request, peer, () => undefined)).catch(() => stream.destroy());
    },
  };
}

function refuseDecoupled({ model }: ModelRunner): void {
  if (model.decoupled) throw new RpcFailure('UNIMPLEMENTED', "ModelInfer RPC doesn't support models with decoupled transaction policy");
}

/** Every request starts at once; the answers go back in the order of the requests, as Triton's do. */
async function serve(stream: InferStream, infer: Infer): Promise<void> {
  const peer = stream.getPeer();
  let unanswered = 0;
  let answered = Promise.resolve();
  // The end of the requests must not end the stream: answers are still to come.
  const requests: AsyncIterable<ModelInferRequest__Output> = stream.iterator({ destroyOnReturn: false });
  for await (const request of requests) {
    const answer = streamAnswer(request, peer, infer);
    unanswered += 1;
    answered = answered.then(async () => {
      await write(stream, await answer);
      unanswered -= 1;
    });
    if (unanswered >= MAX_UNANSWERED) await answered;
  }
  await answered;
  stream.end();
}

/** Never rejects: on a stream an error is an answer, and the stream goes on. */
async function streamAnswer(request: ModelInferRequest__Output, peer: string, infer: Infer): Promise<ModelStreamInferResponse> {
  try {
    const response = await infer(request, peer);
    return { infer_response: { ...response, parameters: { triton_final_response: { bool_param: true } } } };
  } catch (error) {
    return { error_message: asFailure(error).message, infer_response: { id: request.id } };
  }
}

async function write(stream: InferStream, answer: ModelStreamInferResponse): Promise<void> {
  if (stream.cancelled || stream.destroyed || stream.write(answer)) return;
  const gone = new AbortController();
  const events = ['drain', 'cancelled', 'close'].map((event) => once(stream, event, { signal: gone.signal }));
  await Promise.race(events).catch(() => undefined);
  gone.abort();
  await Promise.allSettled(events);
}
