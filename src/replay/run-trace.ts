/** The trace of one run, in one file (docs/trace.md). */
import type { CoreConfiguration } from '../core/configuration.js';
import type { TraceSink } from '../governor/ports.js';
import { RotatingFile } from '../trace/rotating-file.js';
import { headLine, TraceWriter } from '../trace/trace-writer.js';

export class RunTrace {
  readonly #file: string;
  #output: RotatingFile | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws {TraceError} unreadable, when the file cannot be made. */
  readonly open = (configuration: CoreConfiguration): TraceSink => {
    this.#output = new RotatingFile({
      file: this.#file,
      maxBytes: Number.POSITIVE_INFINITY,
      parts: 1,
      head: (part) => headLine(configuration, part),
      failed: (error) => {
        throw error;
      },
    });
    return new TraceWriter(this.#output);
  };

  close(): void {
    this.#output?.close();
  }
}
