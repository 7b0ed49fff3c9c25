/** A governor without ROS under load, against a reference server that restarts now and then. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { SteadyClock } from '../../src/governor/clock.js';
import { GovernorService } from '../../src/service/governor-service.js';
import { connectTriton } from '../../src/triton/connect.js';
import { Load } from './load.js';
import { Recorder, type Row } from './recorder.js';
import { parameters } from './world.js';

/** How long the server is away at a restart. */
const DOWN_MS = 1000;
/** Results have to come again within this. */
const RECOVERY_LIMIT_MS = 10_000;
const READY_LIMIT_MS = 10_000;
const LOOK_MS = 20;

export interface SoakServer {
  readonly endpoint: string;
  /** Where it takes commands. */
  readonly metricsPort: number;
}

export interface SoakPlan {
  readonly seconds: number;
  /** The first one comes after half of that. */
  readonly restartEverySeconds: number;
  readonly rowEverySeconds: number;
}

export interface SoakRun {
  readonly rows: readonly Row[];
  readonly received: number;
  /** Ends by stream, state and cause. */
  readonly causes: Readonly<Record<string, number>>;
  /** Messages that have no outcome after the drain. */
  readonly withoutOutcome: number;
  /** Calls whose end is not proven after the drain. */
  readonly held: number;
  /** From the server being there again to the first result, for each restart; null where none came in time. */
  readonly recoveriesMs: readonly (number | null)[];
}

/** Leaves nothing behind. @param abort ends it early, in order */
export async function soak(server: SoakServer, plan: SoakPlan, show: (row: Row) => void, abort: AbortSignal): Promise<SoakRun> {
  const recorder = new Recorder();
  const service = new GovernorService(parameters(server.endpoint), {
    clock: new SteadyClock(),
    publisher: recorder,
    connect: connectTriton,
    log: pino({ level: 'error' }, pino.destination({ fd: 2, sync: true })),
  });
  try {
    await service.configure();
    service.activate();
    await until(() => service.status().ready, READY_LIMIT_MS);
    const load = new Load(service);
    const rows: Row[] = [];
    let recoveriesMs: readonly (number | null)[] = [];
    try {
      recoveriesMs = await watch(
        server,
        plan,
        recorder,
        () => {
          const row = recorder.row(service);
          rows.push(row);
          show(row);
        },
        abort,
      );
    } finally {
      load.stop();
      await service.deactivate();
    }
    const held = service.status().backends.reduce((sum, backend) => sum + backend.inFlight, 0);
    return { rows, received: recorder.row(service).received, causes: recorder.causes, withoutOutcome: recorder.open, held, recoveriesMs };
  } finally {
    recorder.close();
    await service.cleanup();
  }
}

/** @returns what became of each restart. */
async function watch(
  server: SoakServer,
  plan: SoakPlan,
  recorder: Recorder,
  row: () => void,
  abort: AbortSignal,
): Promise<readonly (number | null)[]> {
  const startMs = performance.now();
  const recoveries: Promise<number | null>[] = [];
  let nextRow = plan.rowEverySeconds;
  let nextRestart = plan.restartEverySeconds / 2;
  for (let seconds = 0; seconds < plan.seconds && !abort.aborted; seconds = (performance.now() - startMs) / 1000) {
    await sleep(LOOK_MS);
    if (seconds >= nextRow) {
      nextRow += plan.rowEverySeconds;
      row();
    }
    if (seconds < nextRestart) continue;
    nextRestart += plan.restartEverySeconds;
    recoveries.push(restart(server, recorder));
  }
  const settled = await Promise.all(recoveries);
  row();
  return settled;
}

async function restart({ metricsPort }: SoakServer, recorder: Recorder): Promise<number | null> {
  await command(metricsPort, { fault: 'restart', down_ms: DOWN_MS });
  const thereMs = performance.now();
  return (await until(() => recorder.lastDeliveryMs > thereMs, RECOVERY_LIMIT_MS)) ? Math.round(recorder.lastDeliveryMs - thereMs) : null;
}

async function until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!isTrue() && performance.now() < endMs) await sleep(LOOK_MS);
  return isTrue();
}

/** On a connection of its own, which is closed when it resolves: nothing of it is left in what is compared. */
function command(port: number, fault: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const asked = request({ host: '127.0.0.1', port, path: '/faults', method: 'POST', headers, agent: false }, (answer) => {
      const { statusCode = 0 } = answer;
      answer
        .resume()
        .once('close', () => (statusCode < 300 ? resolve() : reject(new Error(`the server refused the fault: ${statusCode}`))));
    });
    asked.once('error', reject).end(JSON.stringify(fault));
  });
}
