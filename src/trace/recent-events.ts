/** The newest events and decisions of a running node, to be explained while it runs. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { TraceSink } from '../governor/ports.js';
import { explain, explanationText } from './explain.js';
import type { Decided } from './trace-reader.js';

/** Some seconds of four cameras, in a few megabytes. */
const KEPT = 8192;
/** Looked through in one go; between two of them frames are served. */
const SLICE = 128;

export class RecentEvents implements TraceSink {
  readonly #configuration: CoreConfiguration;
  readonly #ring: Decided[] = [];
  #next = 0;

  constructor(configuration: CoreConfiguration) {
    this.#configuration = configuration;
  }

  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    this.#ring[this.#next] = { at, event, actions };
    this.#next = (this.#next + 1) % KEPT;
  }

  /** @param subject a request id, or the name of a stream. @returns a text for a person, also where there is nothing to explain. */
  async explain(subject: string): Promise<string> {
    const remembered = `the newest ${this.#ring.length} events are remembered`;
    const lost = this.#ring.length === KEPT ? remembered : undefined;
    const explained = await explain({ configuration: this.#configuration, events: this.#inOrder(), lost }, subject);
    return 'nothing' in explained ? `${explained.nothing}${lost === undefined ? `; ${remembered}` : ''}` : explanationText(explained);
  }

  async *#inOrder(): AsyncGenerator<Decided> {
    const events = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    for (const [index, decided] of events.entries()) {
      if (index % SLICE === SLICE - 1) await turn();
      yield decided;
    }
  }
}
