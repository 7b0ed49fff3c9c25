/** unreadable: the file cannot be had · malformed: it is no trace, or broken · no_start: the beginning was rotated away. */
export type TraceErrorCode = 'unreadable' | 'malformed' | 'no_start';

export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code: TraceErrorCode;

  constructor(code: TraceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
