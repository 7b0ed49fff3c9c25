export type DemoErrorCode = 'not_started' | 'not_ready' | 'ended_early' | 'not_connected' | 'missing' | 'interrupted';

/** Why the demo cannot go on; the text is for a person and says what to do where something can be done. */
export class DemoError extends Error {
  readonly code: DemoErrorCode;

  constructor(code: DemoErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DemoError';
    this.code = code;
  }
}
