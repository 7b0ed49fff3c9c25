/** The newest events and decisions of a running node, to be explained while it runs; of those before them it knows what they led to. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { Refusal, TraceSink } from '../governor/ports.js';
import { explain, explanationText } from './explain.js';
import { Scene } from './scene.js';
import type { Entry } from './trace-reader.js';

/** Some seconds of four cameras, in a few megabytes. */
const KEPT = 8192;
/** Looked through in one go; between two of them frames are served. */
const SLICE = 128;

export class RecentEvents implements TraceSink {
  /** What stood before the oldest one that is kept. */
  readonly #before: Scene;
  readonly #ring: Entry[] = [];
  #next = 0;

  constructor(configuration: CoreConfiguration) {
    this.#before = new Scene(configuration);
  }

  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    this.#keep({ at, event, actions });
  }

  refused(refusal: Refusal, at: Micros): void {
    this.#keep({ at, refused: refusal });
  }

  /** @param subject a request id, or the name of a stream. @returns a text for a person, also where there is nothing to explain. */
  async explain(subject: string): Promise<string> {
    const remembered = `the newest ${this.#ring.length} events are remembered`;
    const lost = this.#ring.length === KEPT ? remembered : undefined;
    const { configuration, state: scene } = this.#before;
    const explained = await explain({ configuration, scene, entries: inTurns(this.#inOrder()), lost }, subject);
    return 'nothing' in explained ? `${explained.nothing}${lost === undefined ? `; ${remembered}` : ''}` : explanationText(explained);
  }

  #keep(entry: Entry): void {
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined && 'event' in oldest) this.#before.follow(oldest);
    this.#ring[this.#next] = entry;
    this.#next = (this.#next + 1) % KEPT;
  }

  #inOrder(): readonly Entry[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }
}

async function* inTurns(entries: readonly Entry[]): AsyncGenerator<Entry> {
  for (const [index, entry] of entries.entries()) {
    if (index % SLICE === SLICE - 1) await turn();
    yield entry;
  }
}
