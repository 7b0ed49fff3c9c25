/** One ModelStreamInfer from its first request to its end. */
import { once } from 'node:events';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse } from '../triton/generated/inference/ModelInferResponse.js';
import type { ModelStreamInferResponse } from '../triton/generated/inference/ModelStreamInferResponse.js';
import { asFailure } from './rpc-failure.js';

/** Requests of one stream that may be unanswered; beyond, no more are read. */
const MAX_UNANSWERED = 256;

type InferStream = ServerDuplexStream<ModelInferRequest__Output, ModelStreamInferResponse>;

export interface StreamRequests {
  /** Resolves with the last answer. @param partial takes those before it */
  infer(request: ModelInferRequest__Output, partial: (response: ModelInferResponse) => void): Promise<ModelInferResponse>;
  /** Whether the answer waits for those of the requests before it, as all but those of decoupled models do. */
  isOrdered(request: ModelInferRequest__Output): boolean;
}

/** Every request starts at once. */
export async function serveStream(stream: InferStream, { infer, isOrdered }: StreamRequests): Promise<void> {
  const unanswered = new Set<Promise<void>>();
  let [written, ordered] = [Promise.resolve(), Promise.resolve()];
  const send = (answer: ModelStreamInferResponse) => {
    written = written.then(() => write(stream, answer)).catch(() => void stream.destroy());
    return written;
  };
  // The end of the requests must not end the stream: answers are still to come.
  const requests: AsyncIterable<ModelInferRequest__Output> = stream.iterator({ destroyOnReturn: false });
  for await (const request of requests) {
    const before = isOrdered(request) ? ordered : undefined;
    const last = lastAnswer(
      infer(request, (response) => void send(streamed(response, false))),
      request.id,
    );
    const answered = (async () => {
      const answer = await last;
      await before;
      await send(answer);
    })();
    if (before !== undefined) ordered = answered;
    unanswered.add(answered);
    answered.then(() => unanswered.delete(answered));
    if (unanswered.size >= MAX_UNANSWERED) await Promise.race(unanswered);
  }
  await Promise.all(unanswered);
  stream.end();
}

/** Never rejects: on a stream an error is an answer, and the stream goes on. */
async function lastAnswer(response: Promise<ModelInferResponse>, id: string): Promise<ModelStreamInferResponse> {
  try {
    return streamed(await response, true);
  } catch (error) {
    return { error_message: asFailure(error).message, infer_response: { id } };
  }
}

function streamed(response: ModelInferResponse, isLast: boolean): ModelStreamInferResponse {
  return { infer_response: { ...response, parameters: { triton_final_response: { bool_param: isLast } } } };
}

async function write(stream: InferStream, answer: ModelStreamInferResponse): Promise<void> {
  if (stream.cancelled || stream.destroyed || stream.write(answer)) return;
  const gone = new AbortController();
  const events = ['drain', 'cancelled', 'close'].map((event) => once(stream, event, { signal: gone.signal }));
  await Promise.race(events).catch(() => undefined);
  gone.abort();
  await Promise.allSettled(events);
}
