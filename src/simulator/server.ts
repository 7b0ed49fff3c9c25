/** The simulated inference server: slots, instances, a queue in order of arrival, and the way there and back. */
import type { SimulatedBackend } from './scenario.js';
import type { VirtualTime } from './virtual-time.js';

export type Answer = 'ok' | 'failed';

/** The world behind the server: what frames take, and who wants to know when they run. */
export interface Work {
  runtimeNs(frame: number, variant: number): number;
  /** Whether the model answers this frame with an error. */
  fails(frame: number): boolean;
  started(frame: number, variant: number, slot: number, nowNs: number): void;
  executed(frame: number, nowNs: number): void;
}

interface Call {
  readonly frame: number;
  readonly variant: number;
  /** Of the runtime of the frame. */
  readonly share: number;
  readonly answered: (answer: Answer) => void;
}

export class SimulatedServer {
  readonly #time: VirtualTime;
  readonly #work: Work;
  readonly #thereNs: number;
  readonly #backNs: number;
  readonly #gapNs: number;
  readonly #freeSlots: number[];
  readonly #waiting: Call[] = [];
  #open = 0;

  constructor(time: VirtualTime, { slots, roundTripNs, dispatchGapNs }: Omit<SimulatedBackend, 'pipeliningDepth'>, work: Work) {
    this.#time = time;
    this.#work = work;
    this.#thereNs = Math.floor(roundTripNs / 2);
    this.#backNs = roundTripNs - this.#thereNs;
    this.#gapNs = dispatchGapNs;
    this.#freeSlots = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
  }

  /** Calls sent and not answered. */
  get open(): number {
    return this.#open;
  }

  /** @param share of the runtime of the frame, where one call is not all of it. */
  send(frame: number, variant: number, answered: (answer: Answer) => void, share = 1): void {
    this.#open += 1;
    this.#after(this.#thereNs, () => {
      this.#waiting.push({ frame, variant, share, answered });
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    while (this.#freeSlots.length > 0 && this.#waiting.length > 0)
      this.#start(this.#waiting.shift() as Call, this.#freeSlots.pop() as number);
  }

  #start(call: Call, slot: number): void {
    const { frame, variant, share } = call;
    this.#work.started(frame, variant, slot, this.#time.nowNs);
    this.#time.schedule(this.#time.nowNs + Math.round(this.#work.runtimeNs(frame, variant) * share), () => this.#end(call, slot));
  }

  #end({ frame, answered }: Call, slot: number): void {
    this.#work.executed(frame, this.#time.nowNs);
    this.#after(this.#gapNs, () => {
      this.#freeSlots.push(slot);
      this.#startWaiting();
    });
    this.#after(this.#backNs, () => {
      this.#open -= 1;
      answered(this.#work.fails(frame) ? 'failed' : 'ok');
    });
  }

  /** Without a delay at once: an appointment at the same instant would stand behind what is due then already. */
  #after(delayNs: number, task: () => void): void {
    if (delayNs === 0) task();
    else this.#time.schedule(this.#time.nowNs + delayNs, task);
  }
}
