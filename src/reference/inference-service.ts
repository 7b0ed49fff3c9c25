import { once } from 'node:events';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse } from '../triton/generated/inference/ModelInferResponse.js';
import type { ModelStreamInferResponse } from '../triton/generated/inference/ModelStreamInferResponse.js';
import { execute } from './execution.js';
import type { Models } from './models.js';
import { asFailure, RpcFailure } from './rpc-failure.js';
import type { SharedMemory } from './shared-memory.js';
import { unary } from './unary.js';

/** Requests of one stream that may be unanswered; beyond, no more are read. */
const MAX_UNANSWERED = 256;

type Handlers = Pick<GRPCInferenceServiceHandlers, 'ModelInfer' | 'ModelStreamInfer'>;
type InferStream = ServerDuplexStream<ModelInferRequest__Output, ModelStreamInferResponse>;

export function inferenceService(models: Models, memory: SharedMemory): Handlers {
  const infer = (request: ModelInferRequest__Output) => execute(models.get(request.model_name, request.model_version), request, memory);
  return {
    ModelInfer: unary((request) => {
      if (models.get(request.model_name, request.model_version).model.decoupled) {
        throw new RpcFailure('UNIMPLEMENTED', "ModelInfer RPC doesn't support models with decoupled transaction policy");
      }
      return infer(request);
    }),
    ModelStreamInfer: (stream) => {
      serve(stream, infer).catch(() => stream.destroy());
    },
  };
}

/** Every request starts at once; the answers go back in the order of the requests, as Triton's do. */
async function serve(stream: InferStream, infer: (request: ModelInferRequest__Output) => Promise<ModelInferResponse>): Promise<void> {
  let unanswered = 0;
  let answered = Promise.resolve();
  // The end of the requests must not end the stream: answers are still to come.
  const requests: AsyncIterable<ModelInferRequest__Output> = stream.iterator({ destroyOnReturn: false });
  for await (const request of requests) {
    const answer = streamAnswer(request, infer);
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
async function streamAnswer(
  request: ModelInferRequest__Output,
  infer: (request: ModelInferRequest__Output) => Promise<ModelInferResponse>,
): Promise<ModelStreamInferResponse> {
  try {
    const response = await infer(request);
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
