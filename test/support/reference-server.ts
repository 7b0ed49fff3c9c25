/** `vig serve-reference` as a process of its own, from the build that set-up made. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { modelMetric } from './model-metric.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const readyLine = z.object({ ready: z.literal(true), port: z.int(), metrics_port: z.int(), models: z.array(z.string()) });

export interface ReferenceOptions {
  /** Those of a server that has ended, to start another one in its place. */
  readonly port?: number;
  readonly metricsPort?: number;
  /** Where it writes what truly ran. */
  readonly executions?: string;
}

type Process = ChildProcessByStdio<null, Readable, Readable>;

export class ReferenceProcess {
  readonly models: readonly string[];
  readonly endpoint: string;
  readonly #child: Process;
  readonly #ended: Promise<number | null>;
  readonly port: number;
  /** Of the metrics page and the commands. */
  readonly metricsPort: number;

  private constructor(child: Process, ended: Promise<number | null>, ready: z.output<typeof readyLine>) {
    this.#child = child;
    this.#ended = ended;
    this.models = ready.models;
    this.port = ready.port;
    this.endpoint = `127.0.0.1:${ready.port}`;
    this.metricsPort = ready.metrics_port;
  }

  /** @param models the text of a model file; without it the demo's. @throws {Error} with what it wrote to stderr. */
  static async start(models?: string, { port = 0, metricsPort = 0, executions }: ReferenceOptions = {}): Promise<ReferenceProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'vig-reference-'));
    const file = join(folder, 'models.yaml');
    if (models !== undefined) writeFileSync(file, models);
    const some = models === undefined ? [] : ['--models', file];
    const log = executions === undefined ? [] : ['--executions', executions];
    const ports = [`--port=${port}`, `--metrics-port=${metricsPort}`];
    const child = spawn(process.execPath, [PROGRAM, 'serve-reference', '--json', ...ports, ...some, ...log], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => {
      errors += text.toString();
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        rmSync(folder, { recursive: true, force: true });
        resolve(code);
      });
    });
    const line = await Promise.race([firstLine(child.stdout), ended]);
    if (typeof line !== 'string') throw new Error(`the reference server ended with status ${line}: ${errors}`);
    return new ReferenceProcess(child, ended, readyLine.parse(JSON.parse(line)));
  }

  /** Value of a metric of one model. */
  metric(name: string, model: string): Promise<number> {
    return modelMetric(this.metricsPort, name, model);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }

  /** SIGTERM, if it still runs. @returns the exit status. */
  stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.#ended;
  }
}

async function firstLine(output: Readable): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}
