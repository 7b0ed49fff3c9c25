/** What compressing a part costs: a part of default size, filled with what the arms wrote. */
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** How late the event loop is meanwhile, p99 of a timer of 1 ms; and as long again with nothing to do. */
  readonly loopLateMs: number;
  readonly loopLateAtRestMs: number;
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
  const compressing = await watched(() => compressPart(names, new AbortController().signal));
  const atRest = await watched(() => sleep(compressing.tookMs));
  const measured = {
    megabytes,
    ratio: size / statSync(names.compressed).size,
    ...compressing,
    loopLateAtRestMs: atRest.loopLateMs,
  };
  rmSync(names.compressed);
  return measured;
}

async function watched(run: () => Promise<void>): Promise<Pick<Compression, 'cpuMs' | 'tookMs' | 'loopLateMs'>> {
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await run();
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return { cpuMs: (user + system) / 1000, tookMs, loopLateMs: Math.max(0, delay.percentile(99) / 1e6 - TIMER_MS) };
}
