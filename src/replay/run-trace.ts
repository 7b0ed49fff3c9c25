/** The trace of one run, in one file (docs/trace.md). */
import type { CoreConfiguration } from '../core/configuration.js';
import type { TraceSink } from '../governor/ports.js';
import { WholeTrace } from '../trace/whole-trace.js';

export class RunTrace {
  readonly #file: string;
  #trace: WholeTrace | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws {TraceError} unreadable, when the file cannot be made. */
  readonly open = (configuration: CoreConfiguration): TraceSink => {
    this.#trace = new WholeTrace(this.#file, configuration);
    return this.#trace;
  };

  /** @throws {TraceError} unreadable, when the last of it cannot be written. */
  close(): void {
    this.#trace?.close();
  }

  /** Leaves nothing behind, unless it was closed. */
  discard(): void {
    this.#trace?.discard();
  }
}
