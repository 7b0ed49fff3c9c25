/** A name that refers to nothing, and what was probably meant. */
import { nearestName } from './nearest.js';

export function noSuch(what: string, name: string, known: ReadonlyMap<string, unknown>): string {
  const nearest = nearestName(name, known.keys());
  if (nearest !== undefined) return `there is no ${what} ${name}; did you mean ${nearest}?`;
  if (known.size === 0) return `there is no ${what} ${name}; none is declared under ${what}s`;
  return `there is no ${what} ${name}; expected one of ${[...known.keys()].slice(0, 20).join(', ')}`;
}
