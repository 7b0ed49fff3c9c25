/** What log times can be, and which of those of a bag belong together. */
import { type BagFile, type LogSpan, spanOf } from './bag-file.js';

/** Of the year 2200: later ones are damaged, and no clock of the replay could hold them. */
const LATEST_LOG_NS = 7_258_118_400_000_000_000n;
/** Nobody records longer without a pause; a log time beyond it is damaged, or that of another clock. */
const LONGEST_NS = 31n * 86_400n * 1_000_000_000n;

/**
 * From the first message to the last. Where that cannot be, log times far from the middle one are none of the bag: what has them is left out.
 */
export async function spanOfBag(files: readonly BagFile[]): Promise<LogSpan | undefined> {
  const told = spanOf(files.map(({ span }) => span));
  if (told !== undefined && told.startNs >= 0n && told.endNs <= LATEST_LOG_NS && told.endNs - told.startNs <= LONGEST_NS) return told;
  const times: bigint[] = [];
  for (const file of files) for (const time of await file.logTimes()) if (time >= 0n && time <= LATEST_LOG_NS) times.push(time);
  times.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = times[times.length >> 1];
  if (middle === undefined) return undefined;
  const near = times.filter((time) => time >= middle - LONGEST_NS && time <= middle + LONGEST_NS);
  return { startNs: near[0] ?? middle, endNs: near.at(-1) ?? middle };
}
