/** What nobody foresaw: a full disk, a defect. It has an exit status of its own, lest a script takes it for a verdict. */
import { messageOf } from '../governor/error-message.js';

export const EXIT_FAILED = 4;

/** One line on standard error. */
export function tellFailure(error: unknown, status = EXIT_FAILED): void {
  process.stderr.write(`vig: ${messageOf(error)}\n`);
  process.exitCode = status;
}
