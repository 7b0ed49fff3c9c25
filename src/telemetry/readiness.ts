/** What a node needs in order to serve: one rule for ~/status, the log, diagnostics and /readyz. */
import type { BackendStatus } from './status.js';

/** What is missing, a few words each; nothing when the node is ready. @param active it takes work: configured, activated, not draining */
export function whatIsMissing(active: boolean, backends: readonly BackendStatus[]): readonly string[] {
  return [...(active ? [] : ['the node is not active']), ...backends.flatMap(missingOf)];
}

/** Held slots come last: of a server that is away they are the smaller trouble. */
function missingOf({ backend, reachable, ready, held, slots }: BackendStatus): string[] {
  if (!reachable) return [`${backend} is not reachable`];
  if (!ready) return [`${backend} or one of its models is not ready`];
  return held >= slots ? [`all ${slots} slots of ${backend} are held by calls whose end nobody can prove`] : [];
}
