/** unreadable: the file cannot be had · malformed: it is no trace, or broken · no_start: the beginning was rotated away · in_use: another process writes it. */
export type TraceErrorCode = 'unreadable' | 'malformed' | 'no_start' | 'in_use';

export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code: TraceErrorCode;

  constructor(code: TraceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
