import type { handleUnaryCall } from '@grpc/grpc-js';
import { asFailure } from './rpc-failure.js';

/** A handler of unary calls from a function of the request and of the peer: what it throws is what the client is told. */
export function unary<Request, Response>(
  handle: (request: Request, peer: string) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    new Promise<Response>((resolve) => resolve(handle(call.request, call.getPeer()))).then(
      (response) => callback(null, response),
      (error: unknown) => {
        const { code, message } = asFailure(error);
        callback({ code, details: message });
      },
    );
  };
}
