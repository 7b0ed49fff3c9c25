/** Keeps one connection to a server open: when one is lost the next is opened at once, then with growing pauses of at most a second. */
import { Connection } from './connection.js';
import type { Security } from './tls.js';

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
  /** A connection is ready and takes the place of the one before. */
  readonly connected: (connection: Connection) => void;
  /** There is no connection. Called again when the next attempt fails for another reason. */
  readonly disconnected: (reason: string) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Replaced ones whose calls are followed to their end. */
  readonly #retired = new Set<Connection>();
  #current: Connection | undefined;
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

  /** Opens a connection; when it is ready it takes the place of the present one, whose calls are followed to their end. */
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

  /** Gives open calls up and opens nothing more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const connection of [this.#next, this.#current, ...this.#retired]) connection?.close();
    this.#next = undefined;
    this.#current = undefined;
    this.#retired.clear();
  }

  #ready(connection: Connection): void {
    this.#next = undefined;
    this.#readyAtMs = performance.now();
    if (this.#current !== undefined) this.#retire(this.#current);
    this.#current = connection;
    this.#options.connected(connection);
  }

  #lost(connection: Connection, reason: string): void {
    if (connection === this.#next) {
      this.#next = undefined;
      this.#retryLater();
    } else if (connection === this.#current) {
      this.#current = undefined;
      this.#openAgain();
    }
    if (this.#current === undefined) this.#options.disconnected(reason);
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
