/** One connection to a server process, as it is and as its client knows it. */
import type { CallEnd } from '../../../src/governor/ports.js';
import type { Dice } from '../dice.js';
import type { ServerProcess } from './server.js';
import type { Timeline } from './timeline.js';

/** What is so of one call, whoever knows it. */
export interface TrueCall {
  readonly model: string;
  /** Absent for one outside all counts. */
  readonly request?: number;
  process?: ServerProcess;
  /** Its model was unloaded while it ran. */
  left: boolean;
}

interface Message {
  readonly call: TrueCall;
  lost: boolean;
}

interface OpenCall {
  readonly witnessed: boolean;
  readonly ended: (end: CallEnd) => void;
}

export interface LinkOptions {
  readonly time: Timeline;
  readonly dice: Dice;
  readonly process: ServerProcess;
  /** A call neither runs nor will. */
  readonly over: (call: TrueCall) => void;
  /** A call never arrives, or a refusal does not. */
  readonly lost: (call: TrueCall) => void;
  /** What was answered arrives although the connection has broken meanwhile. */
  readonly answersLate: boolean;
  /** How much longer a question takes each way now. */
  readonly slowUs: () => number;
}

export class Link {
  readonly process: ServerProcess;
  /** Bytes go through; false may not be known yet. */
  alive = true;
  readonly #options: LinkOptions;
  /** In order of dispatch. */
  readonly #open = new Set<OpenCall>();
  /** On their way, and lost if the connection breaks now. */
  readonly #onTheWay = new Set<Message>();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.process = options.process;
  }

  get answersLate(): boolean {
    return this.#options.answersLate;
  }

  send(call: TrueCall, witnessed: boolean, ended: (end: CallEnd) => void): void {
    const { time, dice } = this.#options;
    const open = { witnessed, ended };
    this.#open.add(open);
    call.process = this.process;
    if (!this.alive) {
      this.#options.lost(call);
      return;
    }
    const message = { call, lost: false };
    if (dice.percent(50)) this.#onTheWay.add(message);
    time.after(this.#travelUs(), () => {
      this.#onTheWay.delete(message);
      if (!message.lost) this.#arrive(call, open);
    });
  }

  /** Asks something that executes nothing. Nothing is told when the connection breaks meanwhile, but for what arrives late. */
  ask<T>(question: (process: ServerProcess) => T, told: (answer: T) => void): void {
    const { time, slowUs, answersLate } = this.#options;
    time.after(this.#travelUs() + slowUs(), () => {
      if (!this.alive) return;
      this.process.do(() => {
        const answer = question(this.process);
        time.after(this.#travelUs() + slowUs(), () => {
          if (this.alive || answersLate) told(answer);
        });
      });
    });
  }

  break(): void {
    this.alive = false;
    for (const message of this.#onTheWay) {
      message.lost = true;
      this.#options.lost(message.call);
    }
  }

  /** Open calls return, each in its own time. */
  returnCalls(withinUs: number): void {
    const { time, dice } = this.#options;
    for (const call of this.#open) time.after(dice.between(0, withinUs), () => this.#end(call, unknown(call)));
  }

  /** The oldest calls return without an answer, and run on. */
  giveUp(calls: number): void {
    for (const call of [...this.#open].slice(0, calls)) this.#end(call, unknown(call));
  }

  #travelUs(): number {
    const { dice } = this.#options;
    return dice.percent(95) ? dice.between(50, 500) : dice.between(500, 20_000);
  }

  #arrive(call: TrueCall, open: OpenCall): void {
    const { time, over, lost } = this.#options;
    this.process.do(() =>
      this.process.accept(call.model, {
        mayFail: call.request !== undefined,
        over: () => over(call),
        left: () => {
          call.left = true;
        },
        answer: (end) =>
          time.after(this.#travelUs(), () => {
            const arrived = this.alive && this.#end(open, end);
            // As if it had never arrived: it is counted nowhere, and nobody is told.
            if (!arrived && end.result === 'not_counted') lost(call);
          }),
      }),
    );
  }

  /** @returns whether it had not ended yet. */
  #end(call: OpenCall, end: CallEnd): boolean {
    if (!this.#open.delete(call)) return false;
    call.ended(end);
    return true;
  }
}

function unknown({ witnessed }: OpenCall): CallEnd {
  return { result: 'unknown', detail: 'the connection broke', ...(witnessed ? { witnessed } : {}) };
}
