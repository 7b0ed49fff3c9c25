/** The trace of a run on virtual time: one plain file from the first event to the last, so that it can always be verified. */
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { TraceSink } from '../governor/ports.js';
import { removeSetAside } from './parts.js';
import { PlainFile } from './plain-file.js';
import { headLine, TraceWriter } from './trace-writer.js';

export class WholeTrace implements TraceSink {
  readonly #file: PlainFile;
  readonly #writer: TraceWriter;

  /** @throws {TraceError} unreadable, when the file cannot be made. */
  constructor(file: string, configuration: CoreConfiguration) {
    this.#file = new PlainFile(file, headLine(configuration, 0));
    removeSetAside(file); // of a node that wrote under this name
    this.#writer = new TraceWriter(this.#file);
  }

  /** @throws {TraceError} unreadable, when the file cannot be written: the run is worth nothing without it. */
  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    this.#writer.record(event, at, actions);
  }

  /** @throws {TraceError} as `record` does. */
  close(): void {
    this.#file.close();
  }
}
