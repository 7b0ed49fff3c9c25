/** What the live node was measured on, without names. */
import { loadavg } from 'node:os';
import { z } from 'zod';
import type { TritonServer } from '../test/support/triton-server.js';
import { describeHost, type Host, hostText } from './host.js';

const serverMetadata = z.object({ version: z.string() });

export interface Load {
  readonly before: number;
  readonly highest: number;
}

const LOAD_INTERVAL_MS = 5000;

/** Watches from now on. @returns a function that ends it. */
export function watchLoad(): () => Load {
  const [before = 0] = loadavg();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, loadavg()[0] ?? 0);
  }, LOAD_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return { before, highest };
  };
}

export interface Machine extends Host {
  readonly ros: string;
  readonly triton: string;
  /** Processes that wanted to run, means of a minute: before, and the highest meanwhile; the benchmark itself makes 1 to 3. */
  readonly load: Load;
}

export async function describeMachine(triton: TritonServer | undefined, load: Load): Promise<Machine> {
  return {
    ...describeHost(),
    ros: `${process.env['ROS_DISTRO'] ?? 'none'}, ${process.env['RMW_IMPLEMENTATION'] ?? 'default middleware'}`,
    triton: triton === undefined ? 'not used' : `${await versionOf(triton)} on the CPU, over loopback`,
    load,
  };
}

export function machineText({ ros, triton, load, ...host }: Machine): string {
  return (
    `${hostText(host)}; ROS 2 ${ros}; Triton ${triton}. ` +
    `Load before ${load.before.toFixed(2)}, at most ${load.highest.toFixed(2)} meanwhile; the benchmark itself makes 1 to 3.`
  );
}

async function versionOf(triton: TritonServer): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${triton.ports.http}/v2`);
  return serverMetadata.parse(await response.json()).version;
}
