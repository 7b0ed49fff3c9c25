/** Runs the recorded events through the core again: the same actions, to the byte, or the first that differ. */
import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../core/actions.js';
import { CoreError } from '../core/core-error.js';
import { DecisionCore } from '../core/decision-core.js';
import { TraceError } from './trace-error.js';
import { type ReadProgress, readEvents, readHead, type TracedEvent } from './trace-reader.js';

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

/** @throws {TraceError} no_start, unreadable or malformed; malformed is also a trace that was changed after it was written. */
export async function verifyTrace(file: string, progress?: ReadProgress): Promise<Verification> {
  const { configuration, part, place } = await readHead(file);
  if (part > 0)
    throw new TraceError(
      'no_start',
      `${file}: the first ${part} parts were rotated away, and what they held cannot be run again; raise trace.parts or trace.max_part_mb`,
    );
  const core = orDamaged(place, () => new DecisionCore(configuration));
  let events = 0;
  let actions = 0;
  let before: TracedEvent | undefined;
  let difference: Difference | undefined;
  for await (const traced of readEvents(file, progress)) {
    if (difference !== undefined) {
      refuseMoved(difference.traced, traced);
      break;
    }
    const decidedNow = orDamaged(traced.place, () => core.handle(traced.event, traced.at));
    if (JSON.stringify(decidedNow) === traced.written) {
      events += 1;
      actions += decidedNow.length;
      before = traced;
    } else {
      refuseDoubled(before, traced);
      difference = { traced, decidedNow };
    }
  }
  return { events, actions, difference };
}

/** No core was ever told this. */
function orDamaged<T>(place: string, handIn: () => T): T {
  try {
    return handIn();
  } catch (error) {
    throw error instanceof CoreError ? damaged(place, `no node was ever told this: ${error.message}`, error) : error;
  }
}

/** What is decided otherwise since it stands there twice is no other decision. */
function refuseDoubled(before: TracedEvent | undefined, { at, event, written, place }: TracedEvent): void {
  if (before?.at === at && before.written === written && isDeepStrictEqual(before.event, event))
    throw damaged(place, 'the line before stands there again');
}

function refuseMoved({ at, place }: TracedEvent, next: TracedEvent): void {
  if (next.at < at) throw damaged(place, `it is at ${at} us, and the next line at ${next.at} us`);
}

function damaged(place: string, what: string, cause?: CoreError): TraceError {
  return new TraceError('malformed', `${place}: the trace is damaged, ${what}; was a line doubled, moved or taken out?`, { cause });
}
