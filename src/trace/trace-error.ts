import { messageOf } from '../governor/error-message.js';

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

export function cannotBeWritten(file: string, cause: unknown): TraceError {
  return new TraceError('unreadable', `${file} cannot be written: ${messageOf(cause)}`, { cause });
}
