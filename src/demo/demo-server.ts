/** The inference server of the demo: Triton where there is one, else the reference server, with models of the same names and shapes. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CLI_FILE } from './checkout.js';
import { ChildOwner } from './child-process.js';
import { DemoError } from './demo-error.js';
import { writeModelRepository } from './model-repository.js';
import { TritonProcess } from './triton-process.js';

export interface DemoServer {
  readonly backend: 'triton' | 'reference';
  readonly endpoint: string;
  readonly metricsPort: number;
  /** Executions at the same time. */
  readonly slots: number;
  /** @throws {DemoError} when it has ended by itself. */
  mustRun(): void;
  stop(): Promise<void>;
}

const REFERENCE_READY_MS = 15_000;
const REFERENCE_STOP_MS = 10_000;

/**
 * Held to one processor: its models share it as models share one GPU, and the demo does the same on every machine.
 * @param repository an empty folder
 * @throws {DemoError}
 */
export async function startTriton(repository: string, abort: AbortSignal): Promise<DemoServer> {
  writeModelRepository(repository);
  const processor = lastAllowedProcessor(readFileSync('/proc/self/status', 'utf8'));
  const triton = await TritonProcess.start({ repository, ...(processor === undefined ? {} : { processor }) }, abort);
  return {
    backend: 'triton',
    endpoint: triton.endpoint,
    metricsPort: triton.ports.metrics,
    slots: 1,
    mustRun: () => triton.mustRun(),
    stop: () => triton.stop(),
  };
}

/** @param status the text of /proc/self/status */
export function lastAllowedProcessor(status: string): number | undefined {
  const [, list] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status) ?? [];
  const [last] = list?.match(/\d+$/) ?? [];
  return last === undefined ? undefined : Number(last);
}

const readyLine = z.object({ ready: z.literal(true), port: z.int(), metrics_port: z.int() });

/** @throws {DemoError} */
export async function startReference(abort: AbortSignal): Promise<DemoServer> {
  const child = new ChildOwner({
    name: 'the reference server',
    command: process.execPath,
    arguments: [CLI_FILE, 'serve-reference', '--port', '0', '--metrics-port', '0', '--json'],
    stopTimeoutMs: REFERENCE_STOP_MS,
  });
  try {
    await child.untilLine(/^\{"ready":/, REFERENCE_READY_MS, abort);
    const line =
      child
        .log()
        .split('\n')
        .find((text) => text.startsWith('{"ready":')) ?? '';
    const { port, metrics_port: metricsPort } = readyLine.parse(JSON.parse(line));
    const endpoint = `127.0.0.1:${port}`;
    // Its models take time only, each on an instance of its own.
    return { backend: 'reference', endpoint, metricsPort, slots: 2, mustRun: () => child.mustRun(), stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    if (error instanceof DemoError) throw error;
    throw new DemoError('not_ready', `the reference server said something unexpected: ${String(error)}`, { cause: error });
  }
}
