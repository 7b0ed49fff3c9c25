/** One arm: a governor without ROS under the load of four cameras, with a trace or without; what each frame costs this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { SteadyClock } from '../../src/governor/clock.js';
import type { Publisher } from '../../src/governor/ports.js';
import { GovernorService } from '../../src/service/governor-service.js';
import { connectTriton } from '../../src/triton/connect.js';
import { send } from '../soak/load.js';
import { CAMERAS, PERIOD_MS, parameters, picture } from './world.js';

export interface ArmOptions {
  readonly endpoint: string;
  readonly seconds: number;
  /** Absent: none is written. */
  readonly traceFile?: string;
}

export interface Arm {
  readonly frames: number;
  readonly delivered: number;
  /** User and system, all threads of the process. */
  readonly cpuUsPerFrame: number;
}

const READY_LIMIT_MS = 10_000;
const LOOK_MS = 20;
/** Before it counts: warm-up calls and the first forecasts are over. */
const SETTLE_MS = 300;

/** Leaves nothing behind but the trace. @throws {Error} when the server is not ready in time. */
export async function runArm({ endpoint, seconds, traceFile = '' }: ArmOptions): Promise<Arm> {
  const counts = new Counts();
  const service = new GovernorService(parameters(endpoint, traceFile), {
    clock: new SteadyClock(),
    publisher: counts,
    connect: connectTriton,
    log: pino({ level: 'error' }, pino.destination({ fd: 2, sync: true })),
  });
  let stop = () => {};
  try {
    await service.configure();
    service.activate();
    for (const endMs = performance.now() + READY_LIMIT_MS; !service.status().ready; await sleep(LOOK_MS))
      if (performance.now() > endMs) throw new Error('the reference server is not ready');
    stop = film(service);
    await sleep(SETTLE_MS);
    const before = { ...counts.told };
    const cpu = process.cpuUsage();
    await sleep(seconds * 1000);
    const { user, system } = process.cpuUsage(cpu);
    const frames = counts.told.received - before.received;
    return { frames, delivered: counts.told.delivered - before.delivered, cpuUsPerFrame: (user + system) / frames };
  } finally {
    stop();
    await service.deactivate();
    await service.cleanup();
  }
}

/** @returns a function that ends it. */
function film(service: GovernorService): () => void {
  const message = picture();
  const timers: NodeJS.Timeout[] = [];
  for (const [index, name] of CAMERAS.entries()) {
    const begin = () => timers.push(setInterval(() => send(service, name, message), PERIOD_MS));
    timers.push(setTimeout(begin, (index * PERIOD_MS) / CAMERAS.length));
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

class Counts implements Publisher {
  readonly told = { received: 0, delivered: 0 };

  received(): void {
    this.told.received += 1;
  }

  result(): void {
    this.told.delivered += 1;
  }

  outcome(): void {}
}
