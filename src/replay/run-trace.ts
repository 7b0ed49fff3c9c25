/** The trace of one run, in one file (docs/trace.md). */
import type { CoreConfiguration } from '../core/configuration.js';
import type { TraceSink } from '../governor/ports.js';
import { WholeTrace } from '../trace/whole-trace.js';

/** @param file undefined where none is asked for. Nothing is left of it unless `work` closes it. */
export async function withTrace<R>(file: string | undefined, work: (trace: RunTrace | undefined) => Promise<R>): Promise<R> {
  if (file === undefined) return work(undefined);
  const trace = new RunTrace(file);
  try {
    return await work(trace);
  } finally {
    trace.discard();
  }
}

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
