import type { CauseOf } from '../core/catalogue.js';

/** A received message that cannot become a request: `cause` is its outcome, `message` the line for a person. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
  override readonly cause: CauseOf<'invalid'>;

  constructor(cause: CauseOf<'invalid'>, message: string) {
    super(message);
    this.cause = cause;
  }
}
