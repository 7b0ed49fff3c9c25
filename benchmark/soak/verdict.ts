/** Whether a soak left everything as it was. Pure. */
import type { ProcessState } from './process-state.js';
import type { Row } from './recorder.js';
import type { SoakRun } from './soak.js';

export interface Check {
  readonly name: string;
  readonly found: string;
  readonly wanted: string;
  readonly ok: boolean;
}

const MB = 1024 * 1024;
const HEAP_LIMIT_MB = 3;
const SLOPE_LIMIT_MB_PER_HOUR = 1;
/** The slope of a shorter run says more about its start than about an hour. */
const SLOPE_JUDGED_AFTER_S = 3600;
/** Of a run, that the process may take to find its size. */
const SETTLING_SHARE = 0.25;

export function verdict(run: SoakRun, before: ProcessState, after: ProcessState): readonly Check[] {
  const atMost = (name: string, found: number, wanted: number): Check => ({
    name,
    found: String(found),
    wanted: `at most ${wanted}`,
    ok: found <= wanted,
  });
  const grewMb = (after.heapBytes - before.heapBytes) / MB;
  const slow = run.recoveriesMs.filter((ms) => ms === null).length;
  return [
    atMost('messages without an outcome', run.withoutOutcome, 0),
    atMost('calls held after the drain', run.held, 0),
    atMost('restarts without a result after', slow, 0),
    atMost('open files', after.files, before.files),
    atMost('sockets', after.sockets, before.sockets),
    atMost('timers', after.timers, before.timers),
    atMost('other handles', after.otherHandles, before.otherHandles),
    atMost('regions in /dev/shm', after.regions, before.regions),
    { name: 'heap after collection, MB more', found: grewMb.toFixed(1), wanted: `at most ${HEAP_LIMIT_MB}`, ok: grewMb <= HEAP_LIMIT_MB },
    ...slopeCheck(run.rows),
  ];
}

function slopeCheck(rows: readonly Row[]): Check[] {
  const slope = residentSlope(rows);
  if (slope === undefined || (rows.at(-1)?.seconds ?? 0) < SLOPE_JUDGED_AFTER_S) return [];
  const ok = slope < SLOPE_LIMIT_MB_PER_HOUR;
  return [{ name: 'resident memory, MB an hour', found: slope.toFixed(2), wanted: `below ${SLOPE_LIMIT_MB_PER_HOUR}`, ok }];
}

/** MB an hour, by least squares over what comes after the settling; undefined with too few rows. */
export function residentSlope(rows: readonly Row[]): number | undefined {
  const points = rows.slice(Math.ceil(rows.length * SETTLING_SHARE)).map(({ seconds, rss_mb }) => ({ x: seconds / 3600, y: rss_mb }));
  if (points.length < 3) return undefined;
  const mean = (of: 'x' | 'y') => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean('x'), mean('y')];
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return variance === 0 ? undefined : covariance / variance;
}
