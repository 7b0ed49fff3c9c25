/** Runs the recorded events through the core again: the same actions, to the byte, or the first that differ. */
import type { Action } from '../core/actions.js';
import { DecisionCore } from '../core/decision-core.js';
import { TraceError } from './trace-error.js';
import { readEvents, readHead, type TracedEvent } from './trace-reader.js';

export interface Verification {
  readonly events: number;
  readonly actions: number;
  /** Undefined when all is the same. */
  readonly difference: Difference | undefined;
}

export interface Difference {
  readonly traced: TracedEvent;
  readonly decidedNow: readonly Action[];
}

/** @throws {TraceError} no_start, unreadable or malformed. */
export async function verifyTrace(file: string, done: (events: number) => void = () => {}): Promise<Verification> {
  const { configuration, part } = await readHead(file);
  if (part > 0)
    throw new TraceError(
      'no_start',
      `${file}: the first ${part} parts were rotated away, and what they held cannot be run again; raise trace.parts or trace.max_part_mb`,
    );
  const core = new DecisionCore(configuration);
  let events = 0;
  let actions = 0;
  for await (const traced of readEvents(file)) {
    const decidedNow = core.handle(traced.event, traced.at);
    if (JSON.stringify(decidedNow) !== traced.written) return { events, actions, difference: { traced, decidedNow } };
    events += 1;
    actions += decidedNow.length;
    done(events);
  }
  return { events, actions, difference: undefined };
}
