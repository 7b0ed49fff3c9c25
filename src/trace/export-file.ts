/** Writes a trace in the Chrome format, event by event: a long one is never held whole. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Micros } from '../core/units.js';
import { WriteError } from '../files/write-error.js';
import type { ChromeEvent } from './chrome-event.js';
import { ChromeTrace } from './export.js';
import { drawnFromUs, LONGEST_TRANSPORT_US } from './frame-tracks.js';
import { TraceError } from './trace-error.js';
import { type Entry, readEntries, readHead } from './trace-reader.js';

/** @returns how many events and refusals the trace holds. @throws {TraceError} unreadable or malformed. @throws {WriteError} */
export async function exportChrome(file: string, output: string): Promise<number> {
  const trace = new ChromeTrace((await readHead(file)).configuration, await earliestUs(file));
  let events = 0;
  async function* text(): AsyncGenerator<string> {
    yield `{"traceEvents":[${trace
      .head()
      .map((event) => JSON.stringify(event))
      .join(',\n')}`;
    for await (const entry of readEntries(file)) {
      events += 1;
      const told = trace.add(entry);
      if (told.length > 0) yield further(told);
    }
    yield `${further(trace.finish())}]}\n`;
  }
  try {
    await pipeline(Readable.from(text()), createWriteStream(output));
  } catch (error) {
    throw error instanceof TraceError ? error : new WriteError(output, error);
  }
  return events;
}

function further(events: readonly ChromeEvent[]): string {
  return events.map((event) => `,\n${JSON.stringify(event)}`).join('');
}

/** The earliest instant that is drawn: the first frames were captured before the first event. */
async function earliestUs(file: string): Promise<Micros> {
  let firstUs: Micros | undefined;
  let earliest = 0 as Micros;
  for await (const entry of readEntries(file)) {
    const { at } = entry;
    if (firstUs === undefined) earliest = at;
    firstUs ??= at;
    if (at - LONGEST_TRANSPORT_US > firstUs) break;
    const fromUs = beginOf(entry);
    if (fromUs < earliest) earliest = fromUs;
  }
  return earliest;
}

function beginOf(entry: Entry): Micros {
  return 'event' in entry && entry.event.type === 'arrival' ? drawnFromUs(entry.event, entry.at) : entry.at;
}
