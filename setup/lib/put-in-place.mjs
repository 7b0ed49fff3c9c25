// @ts-check
// A folder takes the place of another in two renames: who looks in between finds none, but for microseconds only.
import { existsSync, renameSync, rmSync } from 'node:fs';

/**
 * Nothing changes when it fails.
 * @param {string} made    a folder on the same file system
 * @param {string} place
 */
export function putInPlace(made, place) {
  const former = `${made}.former`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(place)) renameSync(place, former);
  try {
    renameSync(made, place);
  } catch (error) {
    if (existsSync(former)) renameSync(former, place);
    throw error;
  }
  rmSync(former, { recursive: true, force: true });
}
