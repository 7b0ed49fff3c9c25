/** The one error of this boundary. */

/**
 * What went wrong.
 * - `invalid_options`: the caller's options contradict each other.
 * - `tls`: a file for TLS cannot be used.
 * - `not_connected`: there is no connection to the server, or it was lost before the answer.
 * - `no_answer`: the server did not answer a control call in time.
 * - `another_process`: a connection leads to another server process than the one that runs our calls.
 * - `refused`: the server answered a control call with an error.
 * - `unreadable`: the server's answer to a control call is too long, or not what the protocol says.
 * - `not_ready`: the model cannot be called now.
 * - `invalid_metadata`: what the server says about a model contradicts itself, or cannot be served.
 * - `shared_memory`: a region could not be made, or the server could not map it.
 * - `warm_up_failed`: a warm-up call did not end with an answer that can be read.
 */
export type TritonErrorCode =
  | 'invalid_options'
  | 'tls'
  | 'not_connected'
  | 'no_answer'
  | 'another_process'
  | 'refused'
  | 'unreadable'
  | 'not_ready'
  | 'invalid_metadata'
  | 'shared_memory'
  | 'warm_up_failed';

export class TritonError extends Error {
  override readonly name = 'TritonError';
  readonly code: TritonErrorCode;

  /** @param message for a person: what was asked, what came, what helps */
  constructor(code: TritonErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** With which gRPC status a server refused, where it did. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof TritonError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : undefined;
}

/** The text of anything that was thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
