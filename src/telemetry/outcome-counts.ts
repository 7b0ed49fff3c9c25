import { STATES, type State } from '../core/catalogue.js';

/** So many requests ended in each state: none so far. */
export function noOutcomes(): Record<State, number> {
  return Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<State, number>; // every state is a key of the catalogue
}
