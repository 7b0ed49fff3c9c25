/** What the trace of a node takes by itself: the events of the arms, written again and again with nothing else around. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { parametersSchema } from '../../src/config/schema.js';
import { LiveTrace } from '../../src/trace/live-trace.js';
import { type Decided, readEvents, readHead } from '../../src/trace/trace-reader.js';

/** Of one repeat, in processor time. */
const SHORTEST_US = 300_000;

/** @returns microseconds of processor time an event, user and system, of each repeat. */
export async function writingCosts(folder: string, traces: readonly string[], repeats: number): Promise<number[]> {
  const [first = ''] = traces;
  const { configuration } = await readHead(first);
  const events: Decided[] = [];
  for (const file of traces) for await (const event of readEvents(file)) events.push(event);
  const parameters = { ...parametersSchema.shape.trace.parse({}), file: path.join(folder, 'again.trace') };
  const log = pino({ level: 'silent' });
  const costs: number[] = [];
  for (let repeat = 0; repeat <= repeats; repeat += 1) {
    const trace = await LiveTrace.open(parameters, configuration, log);
    const before = process.cpuUsage();
    let written = 0;
    let tookUs = 0;
    for (; tookUs < SHORTEST_US; written += events.length) {
      for (const { event, at, actions } of events) trace?.record(event, at, actions);
      const { user, system } = process.cpuUsage(before);
      tookUs = user + system;
    }
    await trace?.close();
    rmSync(parameters.file); // a trace that is there would be set aside
    costs.push(tookUs / written);
  }
  return costs.slice(1); // the first is for warming up
}
