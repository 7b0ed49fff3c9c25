/** What a caller can get wrong: in the configuration, or in the sequence of events. */
export type CoreErrorCode =
  | 'duplicate_name'
  | 'unknown_reference'
  | 'out_of_range'
  | 'contradiction'
  | 'time_backwards'
  | 'unknown_stream'
  | 'unknown_backend'
  | 'unknown_backend_model'
  | 'duplicate_request';

/** A mistake of the caller. The event was not handled and the state is as before. */
export class CoreError extends Error {
  override readonly name = 'CoreError';
  readonly code: CoreErrorCode;

  constructor(code: CoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
