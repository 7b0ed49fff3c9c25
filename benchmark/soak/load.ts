/** Sends the messages of all sources to a governor, steadily and in bursts, until it is stopped. */
import type { GovernorService } from '../../src/service/governor-service.js';
import { BURST, SOURCES } from './world.js';

/** One tick serves all sources: what is due is sent, at most so many of one after a stall, as a middleware's history would. */
const TICK_MS = 2;
const MAX_LATE = 10;

export class Load {
  readonly #timer: NodeJS.Timeout;

  constructor(service: Pick<GovernorService, 'receive'>) {
    const startMs = performance.now();
    const dueMs = SOURCES.map(() => startMs);
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      const bursts = (nowMs - startMs) % BURST.everyMs < BURST.forMs;
      for (const [index, source] of SOURCES.entries()) {
        const periodMs = bursts ? source.burstPeriodMs : source.periodMs;
        let due = dueMs[index] as number;
        if (nowMs - due > MAX_LATE * periodMs) due = nowMs - MAX_LATE * periodMs;
        for (; due <= nowMs; due += periodMs) send(service, source.stream, source.message());
        dueMs[index] = due;
      }
    }, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const NS_PER_S = 1_000_000_000n;

/** A message that is stamped as it is sent. */
export function send(service: Pick<GovernorService, 'receive'>, stream: string, message: object): void {
  const rosNowNs = BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
  const header = { stamp: { sec: Number(rosNowNs / NS_PER_S), nanosec: Number(rosNowNs % NS_PER_S) }, frameId: stream };
  service.receive(stream, { header, rosNowNs, message });
}
