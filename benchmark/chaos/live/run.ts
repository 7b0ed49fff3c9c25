/** One schedule against a live server: a governor without ROS under load, the faults of the plan, and what is so afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { KnownEnd } from '../../../src/core/snapshot.js';
import { SteadyClock } from '../../../src/governor/clock.js';
import { GovernorService } from '../../../src/service/governor-service.js';
import { connectTriton } from '../../../src/triton/connect.js';
import { Load } from '../../soak/load.js';
import { Recorder } from '../../soak/recorder.js';
import { executionsIn, monotonicUs, mostAtOnce } from './executions.js';
import type { Fault, Schedule, ServerKind } from './plan.js';
import type { Target } from './server.js';
import { parameters, SLOTS } from './world.js';

/** From the server being well again to the first fresh result. */
export const RECOVERY_LIMIT_MS = 2000;
/** After that a result is not waited for any more. */
const GIVE_UP_MS = 10_000;
const READY_LIMIT_MS = 30_000;
/** Proofs of calls that returned are there within the pace of the questions, and a restart within that of idle ones. */
const PROOFS_LIMIT_MS = 7000;
/** Nothing new is learned in so much time: what is held stays held. */
const UNCHANGED_MS = 2000;
const LOOK_MS = 10;

export interface LiveRun {
  /** What did not hold. */
  readonly failures: readonly string[];
  /** Credits held when all is said and done, by what is known of them. */
  readonly held: Readonly<Record<KnownEnd, number>>;
  readonly received: number;
  readonly delivered: number;
  readonly restarts: number;
  readonly reconciled: number;
  /** Executions of ours that ran at the same time, at most. */
  readonly atOnce: number;
  readonly executions: number;
  /** null where no result came again. */
  readonly recoveryMs: number | null;
}

/** Leaves nothing behind. @param log hears of faults and of what the node says */
export async function runSchedule(kind: ServerKind, target: Target, schedule: Schedule, log: (line: string) => void): Promise<LiveRun> {
  const recorder = new Recorder();
  const endpoint = schedule.isPlain ? target.endpoint : target.cuttableEndpoint;
  const service = new GovernorService(parameters(kind, endpoint, schedule.depth), {
    clock: new SteadyClock(),
    publisher: recorder,
    connect: connectTriton,
    log: pino({ level: 'info', base: null, timestamp: false }, { write: log }),
  });
  const startUs = monotonicUs();
  const failures: string[] = [];
  const watch = new CreditWatch(service, SLOTS + schedule.depth, failures);
  try {
    await service.configure();
    service.activate();
    const load = new Load(service);
    let recoveryMs: number | null = null;
    try {
      if (!(await until(() => recorder.lastDeliveryMs > 0, READY_LIMIT_MS))) failures.push('no result ever came');
      await strikeAll(target, schedule, log);
      await target.recover();
      const wellMs = performance.now();
      if (await until(() => recorder.lastDeliveryMs > wellMs, GIVE_UP_MS)) recoveryMs = Math.round(recorder.lastDeliveryMs - wellMs);
    } finally {
      load.stop();
    }
    await allProven(service);
    const [backend] = service.status().backends;
    if (backend === undefined) throw new Error('the governor has lost its backend');
    await service.deactivate();
    const { received, delivered } = recorder.row(service);
    const executions = executionsIn(target).filter(({ beginUs }) => beginUs >= startUs);
    const atOnce = mostAtOnce(executions);
    const credits = SLOTS + schedule.depth;
    if (atOnce > credits) failures.push(`${atOnce} calls ran at the same time, and there are ${credits} credits`);
    if (recorder.open !== 0) failures.push(`${recorder.open} messages have no outcome`);
    const { leases, restarts, reconciled } = backend;
    const held = Object.values(leases).reduce((sum, count) => sum + count, 0);
    if (leases.running + leases.timed_out > 0) failures.push('a call stays open though the server answers');
    if (held > 0 && schedule.isPlain) failures.push('credits are held after plain kills of a server that is reached directly');
    if (held === 0 && recoveryMs === null) failures.push(`no fresh result within ${GIVE_UP_MS} ms, though no credit is held`);
    return { failures, held: leases, received, delivered, restarts, reconciled, atOnce, executions: executions.length, recoveryMs };
  } finally {
    watch.stop();
    recorder.close();
    await service.cleanup();
  }
}

/** Looks again and again whether the credits add up. */
class CreditWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(service: GovernorService, credits: number, failures: string[]) {
    this.#timer = setInterval(() => {
      for (const { inFlight, held, leases } of service.status().backends) {
        const known = Object.values(leases).reduce((sum, count) => sum + count, 0);
        const fits = known === inFlight && held === inFlight - leases.running && inFlight <= credits;
        if (!fits && failures.length === 0) failures.push(`credits do not add up: ${JSON.stringify({ inFlight, held, leases })}`);
      }
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Resolves when every fault is over. */
async function strikeAll(target: Target, { faults }: Schedule, log: (line: string) => void): Promise<void> {
  const startMs = performance.now();
  await Promise.all(
    faults.map(async ({ atMs, fault }) => {
      await sleep(atMs - (performance.now() - startMs));
      log(`fault: ${describe(fault)}`);
      await target.strike(fault);
    }),
  );
}

/** As far as it will: until no call is open or waited for, or nothing changes any more. */
async function allProven(service: GovernorService): Promise<void> {
  const counts = (): string => JSON.stringify(service.status().backends.map(({ leases }) => leases));
  let seen = counts();
  let sinceMs = performance.now();
  const isOver = (): boolean => {
    const now = counts();
    if (now !== seen) sinceMs = performance.now();
    seen = now;
    const [backend] = service.status().backends;
    if (backend === undefined || backend.inFlight === 0) return true;
    const isOpen = backend.leases.running + backend.leases.timed_out > 0;
    return !isOpen && performance.now() - sinceMs > UNCHANGED_MS;
  };
  await until(isOver, PROOFS_LIMIT_MS);
}

async function until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!isTrue() && performance.now() < endMs) await sleep(LOOK_MS);
  return isTrue();
}

export function describe({ kind, ...details }: Fault): string {
  return [kind, ...Object.entries(details).map(([name, value]) => `${name} ${value}`)].join(', ');
}
