/** A file that cannot be written: the text names it, the cause is that of the operating system. */
import { messageOf } from '../governor/error-message.js';

export class WriteError extends Error {
  override readonly name = 'WriteError';

  constructor(file: string, cause: unknown) {
    super(`${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
