import { status } from '@grpc/grpc-js';

/** A call that is refused or fails, as the client sees it. The texts follow Triton's, so that a log means the same with either server. */
export class RpcFailure extends Error {
  readonly code: status;

  constructor(code: keyof typeof status, details: string, options?: ErrorOptions) {
    super(details, options);
    this.name = 'RpcFailure';
    this.code = status[code];
  }
}

/** What a handler threw, as the client is told: anything but a failure on purpose is a defect of the server. */
export function asFailure(error: unknown): RpcFailure {
  return error instanceof RpcFailure
    ? error
    : new RpcFailure('INTERNAL', `defect in the reference server: ${String(error)}`, { cause: error });
}
