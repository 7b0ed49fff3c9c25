/** The node as its users start it: `vig run` in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { eventually } from './ros-peer.js';

const VIG = fileURLToPath(new URL('../../bin/vig', import.meta.url));
const READY = 'lifecycle (transition=activate, state=active)';

/** Those that run, so that none outlives a test that failed. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface GovernorOptions {
  readonly parameters: object;
  /** The key of the block in the parameter file. */
  readonly block?: string;
  readonly rosArguments?: readonly string[];
  /** Beside that of the test. */
  readonly environment?: NodeJS.ProcessEnv;
}

export class GovernorProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #exited: Promise<number | null>;
  #log = '';

  constructor({ parameters, block = 'governor', rosArguments = [], environment = {} }: GovernorOptions) {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'vig-node-'));
    const file = path.join(this.#folder, 'governor.yaml');
    writeFileSync(file, stringify({ [block]: { ros__parameters: parameters } }, { aliasDuplicateObjects: false }));
    this.#child = spawn(VIG, ['run', '--ros-args', '--params-file', file, ...rosArguments], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#log += chunk;
    });
    running.add(this.#child);
    this.#exited = new Promise((resolve) =>
      this.#child.once('exit', (status) => {
        running.delete(this.#child);
        resolve(status);
      }),
    );
  }

  /** @throws {Error} when it could not be started. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the node has no process');
    return this.#child.pid;
  }

  /** What it has said on standard error. */
  get log(): string {
    return this.#log;
  }

  async active(): Promise<void> {
    try {
      await eventually('the node is active', () => {
        if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw new Error('the node has ended');
        return this.#log.includes(READY);
      });
    } catch (cause) {
      throw new Error(`the node did not become active; it said:\n${this.#log}`, { cause });
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns its exit status; null when a signal killed it. */
  async exited(): Promise<number | null> {
    const status = await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true });
    return status;
  }

  /** In order; by force only when that takes too long. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.signal('SIGKILL'), 10_000);
    this.signal('SIGINT');
    await this.exited();
    clearTimeout(timer);
  }
}
