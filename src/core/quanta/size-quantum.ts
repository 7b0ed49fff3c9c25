/** How many tokens the next call of a request may generate (rules.md 12). */
import type { GuardedWork } from '../guarded-work.js';
import type { StreamState } from '../stream-state.js';
import { type Micros, plus } from '../units.js';
import type { Generation } from './generation.js';
import type { Room } from './room.js';

/**
 * Sizes the next call by the room there is. A stream whose firm floor is due takes the smallest call that is allowed, room or not.
 * @returns what leaves no room for a single token; undefined when the call can go.
 */
export function sizeQuantum(generation: Generation, stream: StreamState, room: Room, now: Micros): GuardedWork | undefined {
  const { cost, remaining, context } = generation;
  generation.ask(remaining);
  if (!generation.divisible) return undefined;
  const { fillUntil, minTokens } = cost.cooperative;
  room.look(stream, fillUntil, plus(now, generation.plannedUs), now);
  if (room.blocker === undefined) return undefined;
  const fitting = cost.fitting(room.untilUs - now, context);
  if (fitting < Math.min(1, remaining) && !stream.hasFirmClaim) {
    generation.ask(Math.min(1, remaining));
    return room.blocker;
  }
  generation.ask(Math.min(Math.max(fitting, minTokens), remaining));
  return undefined;
}
