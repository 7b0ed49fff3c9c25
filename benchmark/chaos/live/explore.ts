/** Many live schedules, one after the other, against one server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KnownEnd, NO_LEASES } from '../../../src/core/snapshot.js';
import { type ProcessState, readProcess } from '../../soak/process-state.js';
import { drawSchedule, type Schedule, type ServerKind } from './plan.js';
import { describe, type LiveRun, runSchedule } from './run.js';
import { startTarget, type Target } from './server.js';

export interface Exploration {
  readonly kind: ServerKind;
  /** Of the first schedule; the others follow one by one. */
  readonly seed: number;
  readonly schedules: number;
  readonly done: (schedule: Schedule, run: LiveRun) => void;
  /** Ends it early, in order. */
  readonly abort: AbortSignal;
}

export interface Explored {
  readonly runs: readonly LiveRun[];
  /** Those at whose end credits are held, and what is known of these. */
  readonly withHeld: number;
  readonly held: Readonly<Record<KnownEnd, number>>;
  /** What this process has more of than before: files, sockets, timers, other handles, regions. */
  readonly leaks: readonly string[];
  /** Of the first schedule that failed. */
  readonly failure: Failure | undefined;
}

export interface Failure {
  readonly seed: number;
  readonly failures: readonly string[];
  readonly faults: readonly string[];
  readonly log: readonly string[];
}

/** Everything that is loaded or made once is there afterwards. */
const REHEARSAL: Schedule = { seed: 0, isPlain: false, depth: 1, faults: [{ atMs: 100, fault: { kind: 'cut' } }] };
const LINES_SHOWN = 60;
const KEPT = ['files', 'sockets', 'timers', 'otherHandles', 'regions'] as const;
/** grpc-js keeps a connection whose making it was told to give up in the very millisecond in which it was made. */
const LEFT_BY_GRPC: Partial<Record<(typeof KEPT)[number], number>> = { files: 1, sockets: 1 };
/** What was closed takes a moment to be gone. */
const SETTLE_LOOKS = 25;
const SETTLE_MS = 200;

export async function explore({ kind, seed, schedules, done, abort }: Exploration): Promise<Explored> {
  const folder = mkdtempSync(join(tmpdir(), 'vig-chaos-'));
  const target = await startTarget(kind, folder);
  try {
    await runSchedule(kind, target, REHEARSAL, () => {});
    const before = await settled();
    const runs: LiveRun[] = [];
    let failure: Failure | undefined;
    for (let index = 0; index < schedules && !abort.aborted; index += 1) {
      const schedule = drawSchedule(seed + index, kind);
      const { run, log } = await runLogged(kind, target, schedule);
      runs.push(run);
      if (run.failures.length > 0) failure ??= { seed: schedule.seed, failures: run.failures, faults: faultsOf(schedule), log };
      done(schedule, run);
    }
    return { runs, ...heldOf(runs), leaks: await leaks(before), failure };
  } finally {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runLogged(kind: ServerKind, target: Target, schedule: Schedule): Promise<{ run: LiveRun; log: string[] }> {
  const log: string[] = [];
  const startMs = performance.now();
  const run = await runSchedule(kind, target, schedule, (line) => {
    const atMs = Math.round(performance.now() - startMs);
    if (log.push(`${String(atMs).padStart(6)} ms  ${line.trimEnd()}`) > LINES_SHOWN) log.shift();
  });
  return { run, log };
}

function faultsOf({ faults }: Schedule): string[] {
  return faults.map(({ atMs, fault }) => `${String(atMs).padStart(6)} ms  ${describe(fault)}`);
}

function heldOf(runs: readonly LiveRun[]): Pick<Explored, 'withHeld' | 'held'> {
  const held = { ...NO_LEASES };
  let withHeld = 0;
  for (const run of runs) {
    const states = Object.entries(run.held) as [KnownEnd, number][];
    for (const [state, count] of states) held[state] += count;
    if (states.some(([, count]) => count > 0)) withHeld += 1;
  }
  return { withHeld, held };
}

/** As soon as it stays the same; else as it is after a while. */
async function settled(): Promise<ProcessState> {
  let state = await readProcess();
  for (let look = 0; look < SETTLE_LOOKS; look += 1) {
    await sleep(SETTLE_MS);
    const now = await readProcess();
    if (KEPT.every((name) => now[name] === state[name])) return now;
    state = now;
  }
  return state;
}

async function leaks(before: ProcessState): Promise<string[]> {
  let more: string[] = [];
  for (let look = 0; look < SETTLE_LOOKS; look += 1) {
    const now = await readProcess();
    more = KEPT.filter((name) => now[name] > before[name] + (LEFT_BY_GRPC[name] ?? 0)).map(
      (name) => `${now[name] - before[name]} more ${name} than before`,
    );
    if (more.length === 0) break;
    await sleep(SETTLE_MS);
  }
  return more;
}
