/** Owner of one child process: started in a process group of its own, watched, ended for certain with all that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError } from './demo-error.js';
import { LogTail } from './log-tail.js';
import { fastDdsFilesOf, removeSharedMemory, removeSharedMemoryWithPrefix } from './shared-memory-files.js';

const PROBE_INTERVAL_MS = 50;
const GROUP_GONE_LIMIT_MS = 2000;
const SHOWN_LOG_LINES = 30;

export interface ChildOptions {
  /** What a person calls it. */
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** From the signal that asks it to end to SIGKILL. */
  readonly stopTimeoutMs: number;
  /** Files in /dev/shm that start with this belong to it. */
  readonly sharedMemoryPrefix?: string;
}

/** Children that run, so that none outlives this process. */
const running = new Set<ChildOwner>();
process.on('exit', () => {
  for (const child of running) child.killNow();
});

export class ChildOwner {
  readonly #options: ChildOptions;
  readonly #child: ChildProcess;
  readonly #log = new LogTail();
  readonly #listeners = new Set<(line: string) => void>();
  readonly #sharedMemory = new Set<string>();
  readonly #ended: Promise<void>;
  #fate: string | undefined;

  /** Starts it. Failing to do so shows as its end. */
  constructor(options: ChildOptions) {
    this.#options = options;
    // A group of its own: Ctrl-C reaches this process only, which then ends its children in order. Should this one be killed, the
    // kernel asks them to end.
    this.#child = spawn('setpriv', ['--pdeathsig', 'TERM', options.command, ...options.arguments], {
      ...(options.environment === undefined ? {} : { env: options.environment }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(this);
    this.#ended = new Promise((resolve) => {
      const end = (fate: string) => {
        this.#fate ??= fate;
        resolve();
      };
      this.#child.once('error', (error) => end(`it could not be started (${error.message})`));
      this.#child.once('exit', (code, signal) => end(signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`));
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    }
  }

  /** @throws {DemoError} `not_started`. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new DemoError('not_started', this.#describe('did not start'));
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#fate !== undefined;
  }

  /** What it wrote last. */
  log(): string {
    return this.#log.text();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns a function that ends the listening. */
  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves once it has written a line that matches.
   * @throws {DemoError} `not_ready`, `ended_early`, `interrupted`.
   */
  async untilLine(pattern: RegExp, timeoutMs: number, abort?: AbortSignal): Promise<void> {
    let seen = this.#log
      .text()
      .split('\n')
      .some((line) => pattern.test(line));
    const stop = this.onLine((line) => {
      seen ||= pattern.test(line);
    });
    try {
      await this.untilTrue(() => Promise.resolve(seen), timeoutMs, abort);
    } finally {
      stop();
    }
  }

  /**
   * Resolves once the probe says so.
   * @throws {DemoError} `not_ready`, `ended_early`, `interrupted`.
   */
  async untilTrue(probe: () => Promise<boolean>, timeoutMs: number, abort?: AbortSignal): Promise<void> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      if (abort?.aborted === true) throw new DemoError('interrupted', 'interrupted');
      const ready = await probe();
      if (this.hasEnded) throw new DemoError('ended_early', this.#describe('did not start'));
      if (ready) return this.#noteSharedMemory();
      if (performance.now() > end) throw new DemoError('not_ready', this.#describe(`was not ready within ${timeoutMs / 1000} s`));
      await Promise.race([sleep(PROBE_INTERVAL_MS), this.#ended]);
    }
  }

  /** @throws {DemoError} `ended_early` when it has ended by itself. */
  mustRun(): void {
    if (this.hasEnded) throw new DemoError('ended_early', this.#describe('is gone'));
  }

  /** Asks it to end, waits, kills what is left. Never throws; may be called again. */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM'): Promise<void> {
    if (!this.hasEnded) {
      this.#noteSharedMemory();
      this.signal(signal);
      const limit = new AbortController();
      const timeout = sleep(this.#options.stopTimeoutMs, undefined, { signal: limit.signal }).catch(() => undefined);
      await Promise.race([this.#ended, timeout]);
      limit.abort();
    }
    await this.kill();
  }

  /** SIGKILL to it and to all that it started. Never throws. */
  async kill(): Promise<void> {
    this.killNow();
    await this.#ended;
    const end = performance.now() + GROUP_GONE_LIMIT_MS;
    while (this.#groupLives() && performance.now() < end) await sleep(5);
    this.#removeSharedMemory();
  }

  /** SIGKILL without waiting. */
  killNow(): void {
    if (!running.delete(this)) return;
    if (!this.hasEnded) this.#noteSharedMemory();
    this.#signalGroup('SIGKILL');
    this.#removeSharedMemory();
  }

  #read(chunk: string): void {
    for (const line of this.#log.add(chunk)) for (const listener of this.#listeners) listener(line);
  }

  #noteSharedMemory(): void {
    if (this.#child.pid !== undefined) for (const name of fastDdsFilesOf(this.#child.pid)) this.#sharedMemory.add(name);
  }

  #removeSharedMemory(): void {
    removeSharedMemory(this.#sharedMemory);
    if (this.#options.sharedMemoryPrefix !== undefined) removeSharedMemoryWithPrefix(this.#options.sharedMemoryPrefix);
  }

  #groupLives(): boolean {
    return this.#signalGroup(0);
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    if (this.#child.pid === undefined) return false;
    try {
      return process.kill(-this.#child.pid, signal);
    } catch {
      return false; // the whole group has ended
    }
  }

  #describe(what: string): string {
    const log = this.#log.text(SHOWN_LOG_LINES);
    const fate = this.#fate === undefined ? '' : `: ${this.#fate}`;
    return `${this.#options.name} ${what}${fate}${log === '' ? '' : `\n${log}`}`;
  }
}
