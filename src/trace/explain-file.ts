/** Explains what a trace holds. */
import { explain, type Nothing, type StreamAccount } from './explain.js';
import type { Story } from './stories.js';
import { readEvents, readHead } from './trace-reader.js';

/** @param subject a request id, or the name of a stream. @throws {TraceError} unreadable or malformed. */
export async function explainFile(file: string, subject: string): Promise<Story | StreamAccount | Nothing> {
  const { configuration, part } = await readHead(file);
  const before = part === 1 ? 'the part before it was' : `the ${part} parts before it were`;
  const lost = part === 0 ? undefined : `${before} rotated away (trace.parts, trace.max_part_mb)`;
  return explain({ configuration, events: readEvents(file), lost }, subject);
}
