/** Every event of the core and what it decided, one JSON object a line (docs/trace.md). */
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { Refusal, TraceSink } from '../governor/ports.js';
import type { SceneState } from './scene-state.js';

/** Of the format; a reader knows those before it, and refuses a later one (adr/0017). */
export const TRACE_VERSION = 2;

export interface TraceOutput {
  /** @param line with its line feed. Must not throw. */
  write(line: string): void;
}

export class TraceWriter implements TraceSink {
  readonly #output: TraceOutput;

  constructor(output: TraceOutput) {
    this.#output = output;
  }

  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    const decided = actions.length === 0 ? '' : `,"actions":${JSON.stringify(actions)}`;
    this.#output.write(`{"at":${at},"event":${JSON.stringify(event, asText)}${decided}}\n`);
  }

  refused(refusal: Refusal, at: Micros): void {
    this.#output.write(`${JSON.stringify({ at, refused: refusal })}\n`);
  }
}

export interface HeadDetails {
  /** The number that part 0 is set aside under; 1 where it is left out. */
  readonly first?: number;
  /** What stands already at the beginning of a later part. */
  readonly scene?: SceneState;
}

/** The first line of every part. @param part 0 is the one that the core began in. */
export function headLine(configuration: CoreConfiguration, part: number, details: HeadDetails = {}): string {
  return `${JSON.stringify({ vig_trace: TRACE_VERSION, part, ...details, configuration })}\n`;
}

/** Nanoseconds since the epoch are more than a number of JSON can hold. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
