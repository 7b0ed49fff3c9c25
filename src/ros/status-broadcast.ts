/** When ~/status and /diagnostics go out: at 1 Hz on the steady clock, so that silence is reported too, and the status on change. */
import type { Logger } from 'pino';
import type { GovernorStatus } from '../telemetry/status.js';

/** Changes are looked for, and published, at most this often. */
export const TICK_MS = 100;
export const TICKS_PER_PERIOD = 10;

export interface BroadcastWork {
  status(): GovernorStatus;
  isSilent(stream: string): boolean;
  publishStatus(status: GovernorStatus): void;
  /** Once a second, before the status: what has to be looked for. */
  look(): void;
  /** Once a second, after the status. */
  publishDiagnostics(): void;
}

type ErrorLog = Pick<Logger, 'error'>;

export class StatusBroadcast {
  readonly #work: BroadcastWork;
  readonly #log: ErrorLog;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #shown = '';

  constructor(work: BroadcastWork, log: ErrorLog) {
    this.#work = work;
    this.#log = log;
  }

  start(): void {
    this.stop();
    this.#ticks = 0;
    this.#timer = setInterval(() => this.tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One step of the timer. Never throws. */
  tick(): void {
    const isPeriod = this.#ticks % TICKS_PER_PERIOD === 0;
    this.#ticks += 1;
    if (isPeriod) this.#guard(() => this.#work.look());
    this.#guard(() => this.#status(isPeriod));
    if (isPeriod) this.#guard(() => this.#work.publishDiagnostics());
  }

  #status(isPeriod: boolean): void {
    const status = this.#work.status();
    const shown = this.#worthShowing(status);
    if (!isPeriod && shown === this.#shown) return;
    this.#shown = shown;
    this.#work.publishStatus(status);
  }

  /** What a person wants to see change at once: readiness, the overload level, held calls, restarts, a stream's silence. */
  #worthShowing(status: GovernorStatus): string {
    const backends = status.backends.map(({ backend, reachable, ready, held, quarantined, restarts, overloadLevel }) =>
      [backend, reachable, ready, held, quarantined, restarts, overloadLevel].join(':'),
    );
    const streams = status.streams.map(({ stream }) => `${stream}:${this.#work.isSilent(stream)}`);
    return [status.ready, ...backends, ...streams].join(' ');
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (err) {
      this.#log.error({ err }, 'the status could not be published');
    }
  }
}
