/** Explains what a trace holds. */
import { explain, type Nothing, type StreamAccount } from './explain.js';
import type { Story } from './stories.js';
import { readEntries, readHead } from './trace-reader.js';

/** Traces of earlier versions hold nothing of messages that were refused as they came. */
const RECORDS_REFUSALS = 2;
const NOT_RECORDED = 'messages that were refused as they came (invalid, inactive, no_clock) are not in a trace of version 1';

/** @param subject a request id, or the name of a stream. @throws {TraceError} unreadable or malformed. */
export async function explainFile(file: string, subject: string): Promise<Story | StreamAccount | Nothing> {
  const { configuration, scene, part, version } = await readHead(file);
  const before = part === 1 ? 'the part before it was' : `the ${part} parts before it were`;
  const lost = part === 0 ? undefined : `${before} rotated away (trace.parts, trace.max_part_mb)`;
  const explained = await explain({ configuration, scene, entries: readEntries(file), lost }, subject);
  return version < RECORDS_REFUSALS ? withoutRefusals(explained) : explained;
}

function withoutRefusals(explained: Story | StreamAccount | Nothing): Story | StreamAccount | Nothing {
  if ('nothing' in explained) return { nothing: `${explained.nothing}; ${NOT_RECORDED}` };
  if ('lines' in explained) return explained;
  return { ...explained, lost: explained.lost === undefined ? NOT_RECORDED : `${explained.lost}; ${NOT_RECORDED}` };
}
