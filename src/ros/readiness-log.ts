/** Tells the operator when the node is ready, and when and why it has not been for a while. */
import type { Logger } from 'pino';
import { whatIsMissing } from '../telemetry/readiness.js';
import type { GovernorStatus } from '../telemetry/status.js';
import { asked } from './operator-log.js';

/** Connecting and a quick restart of a server take this long and are not worth a warning. */
const PATIENCE_MS = 2000;

export class ReadinessLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #said: 'ready' | 'not ready' | undefined;
  #unreadySinceMs: number | undefined;

  /** @param now monotonic, in milliseconds */
  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** Call it with every status of the active node. */
  note(status: GovernorStatus): void {
    if (status.ready) {
      this.#unreadySinceMs = undefined;
      if (this.#said !== 'ready') this.#logNow().info('ready');
      this.#said = 'ready';
      return;
    }
    this.#unreadySinceMs ??= this.#now();
    if (this.#said === 'not ready' || this.#now() - this.#unreadySinceMs < PATIENCE_MS) return;
    this.#logNow().warn({ reason: whatIsMissing(true, status.backends).join(', ') }, 'not ready');
    this.#said = 'not ready';
  }

  /** The node is not active any more; readiness is not expected of it. */
  reset(): void {
    this.#said = undefined;
    this.#unreadySinceMs = undefined;
  }

  /** The first word is the answer to who activated the node. */
  #logNow(): Logger {
    return this.#said === undefined ? asked(this.#log) : this.#log;
  }
}
