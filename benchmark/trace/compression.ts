/** What compressing a part costs: a part of default size, filled with what the arms wrote. */
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parametersSchema } from '../../src/config/schema.js';
import { compressPart } from '../../src/trace/compress-part.js';
import { partNames } from '../../src/trace/parts.js';

export interface Compression {
  readonly megabytes: number;
  /** Bytes before for each byte after. */
  readonly ratio: number;
  /** All threads of the process. */
  readonly cpuMs: number;
  readonly tookMs: number;
  /** The longest that the event loop was late meanwhile, by a timer of 1 ms. */
  readonly loopLateMs: number;
}

const BYTES_PER_MB = 1_000_000;
const TIMER_MS = 1;

/** @param traces files; they stay. */
export async function measureCompression(folder: string, traces: readonly string[]): Promise<Compression> {
  const { max_part_mb: megabytes } = parametersSchema.shape.trace.parse({});
  const names = partNames(path.join(folder, 'part'), 1);
  writeFileSync(names.plain, '');
  const texts = traces.map((file) => readFileSync(file));
  for (let bytes = 0, turn = 0; bytes < megabytes * BYTES_PER_MB; turn += 1) {
    const text = texts[turn % texts.length] as Buffer;
    appendFileSync(names.plain, text);
    bytes += text.length;
  }
  const { size } = statSync(names.plain);
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await compressPart(names, new AbortController().signal);
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const measured = {
    megabytes,
    ratio: size / statSync(names.compressed).size,
    cpuMs: (user + system) / 1000,
    tookMs: performance.now() - startMs,
    loopLateMs: Math.max(0, delay.max / 1e6 - TIMER_MS),
  };
  rmSync(names.compressed);
  return measured;
}
