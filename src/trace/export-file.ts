/** Writes a trace in the Chrome format, event by event: a long one is never held whole. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ChromeTrace } from './export.js';
import { TraceError } from './trace-error.js';
import { readEvents, readHead } from './trace-reader.js';

/** @returns events of the trace. @throws {TraceError} unreadable or malformed. */
export async function exportChrome(file: string, output: string): Promise<number> {
  const trace = new ChromeTrace((await readHead(file)).configuration);
  let events = 0;
  async function* text(): AsyncGenerator<string> {
    yield `{"traceEvents":[${trace
      .head()
      .map((event) => JSON.stringify(event))
      .join(',\n')}`;
    for await (const traced of readEvents(file)) {
      events += 1;
      const told = trace.add(traced);
      if (told.length > 0) yield `,\n${told.map((event) => JSON.stringify(event)).join(',\n')}`;
    }
    yield ']}\n';
  }
  try {
    await pipeline(Readable.from(text()), createWriteStream(output));
  } catch (error) {
    if (error instanceof TraceError) throw error;
    throw new TraceError('unreadable', `${output} cannot be written: ${String(error)}`, { cause: error });
  }
  return events;
}
