/**
 * Keeps one connection to a server open: when one is lost the next is opened at once, then with growing pauses of at most a second. One that
 * works is replaced only by one that was introduced.
 */
import { Connection } from './connection.js';
import type { Security } from './tls.js';
import { textOf } from './triton-error.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** A connection that was lost sooner is as good as none: a server that hangs up at once is not called again at once. */
const STEADY_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;

export interface SupervisorOptions {
  readonly endpoint: string;
  readonly security: Security;
  /** Limit for the next connection. */
  readonly receiveLimitBytes: () => number;
  /** Before a connection takes the place of one in use. Rejects when it must not. */
  readonly introduce: (connection: Connection) => Promise<void>;
  /** A connection is ready; it takes the place of the one before, if there is one. */
  readonly connected: (connection: Connection) => void;
  /** The one in use stays in use, since no other could be opened and introduced. Who wants another has to ask again. */
  readonly notReplaced: (reason: string) => void;
  /** There is no connection. Called again when the next attempt fails for another reason. */
  readonly disconnected: (reason: string) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Replaced ones, and lost ones, whose calls are followed to their end. */
  readonly #retired = new Set<Connection>();
  #current: Connection | undefined;
  /** Is being opened, or introduced. */
  #next: Connection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = 0;
  #readyAtMs = 0;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The connection on which calls can be made now. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** Opens a connection; when it is introduced it takes the place of the present one, whose calls are followed to their end. */
  open(): void {
    if (this.#closed || this.#next !== undefined) return;
    clearTimeout(this.#retry);
    const { endpoint, security, receiveLimitBytes } = this.#options;
    const connection = new Connection(
      { endpoint, security, receiveLimitBytes: receiveLimitBytes(), connectTimeoutMs: CONNECT_TIMEOUT_MS },
      { ready: () => this.#ready(connection), lost: (reason) => this.#lost(connection, reason) },
    );
    this.#next = connection;
  }

  /** Opens nothing more; the present connection stays. */
  stop(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#next?.close();
    this.#next = undefined;
  }

  /** The same, and gives open calls up. */
  close(): void {
    this.stop();
    for (const connection of [this.#current, ...this.#retired]) connection?.close();
    this.#current = undefined;
    this.#retired.clear();
  }

  #ready(connection: Connection): void {
    if (this.#current === undefined) this.#use(connection);
    else void this.#introduce(connection);
  }

  async #introduce(connection: Connection): Promise<void> {
    try {
      await this.#options.introduce(connection);
      if (connection === this.#next) this.#use(connection);
    } catch (error) {
      if (connection !== this.#next) return; // it was lost meanwhile, or closed
      connection.close();
      this.#lost(connection, textOf(error));
    }
  }

  #use(connection: Connection): void {
    clearTimeout(this.#retry);
    this.#next = undefined;
    this.#readyAtMs = performance.now();
    if (this.#current !== undefined) this.#retire(this.#current);
    this.#current = connection;
    this.#options.connected(connection);
  }

  #lost(connection: Connection, reason: string): void {
    if (connection === this.#next) {
      this.#next = undefined;
      if (this.#current === undefined) this.#retryLater();
    } else if (connection === this.#current) {
      this.#retire(connection);
      this.#current = undefined;
      this.#openAgain();
    }
    if (this.#current === undefined) this.#options.disconnected(reason);
    else this.#options.notReplaced(reason);
  }

  #openAgain(): void {
    if (performance.now() - this.#readyAtMs < STEADY_MS) {
      this.#retryLater();
      return;
    }
    this.#pauseMs = 0;
    this.open();
  }

  #retryLater(): void {
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    this.#retry = setTimeout(() => this.open(), this.#pauseMs);
  }

  #retire(connection: Connection): void {
    for (const old of this.#retired) if (old.openCalls === 0) this.#retired.delete(old);
    connection.retire();
    this.#retired.add(connection);
  }
}
