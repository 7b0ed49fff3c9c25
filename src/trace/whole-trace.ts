/**
 * The trace of a run on virtual time: one plain file from the first event to the last, so that it can always be verified. It has its name once it
 * is closed.
 */
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import { Unfinished } from '../files/unfinished.js';
import type { Refusal, TraceSink } from '../governor/ports.js';
import { PlainFile } from './plain-file.js';
import { headLine, TraceWriter } from './trace-writer.js';

export class WholeTrace implements TraceSink {
  readonly #unfinished: Unfinished;
  readonly #file: PlainFile;
  readonly #writer: TraceWriter;

  /** @throws {TraceError} unreadable, when the file cannot be made. @throws {WriteError} when there is no such folder. */
  constructor(name: string, configuration: CoreConfiguration) {
    this.#unfinished = new Unfinished(name);
    try {
      this.#file = new PlainFile(this.#unfinished.path, headLine(configuration, 0));
    } catch (error) {
      this.#unfinished.discard();
      throw error;
    }
    this.#writer = new TraceWriter(this.#file);
  }

  /** @throws {TraceError} unreadable, when the file cannot be written: the run is worth nothing without it. */
  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    this.#writer.record(event, at, actions);
  }

  /** @throws {TraceError} as `record` does. */
  refused(refusal: Refusal, at: Micros): void {
    this.#writer.refused(refusal, at);
  }

  /** @throws {TraceError} as `record` does. @throws {WriteError} when it cannot be put in its place. */
  close(): void {
    this.#file.close();
    this.#unfinished.keep();
  }

  /** Leaves nothing behind, unless it was closed. */
  discard(): void {
    this.#unfinished.discard();
  }
}
