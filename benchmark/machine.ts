/** What it was measured on, without names. */
import { cpus, totalmem } from 'node:os';
import { z } from 'zod';
import type { TritonServer } from '../test/support/triton-server.js';

const serverMetadata = z.object({ version: z.string() });

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly ros: string;
  readonly triton: string;
  /** Processes that wanted to run, mean of the minute before. */
  readonly loadBefore: number;
  readonly date: string;
}

export async function describeMachine(triton: TritonServer | undefined, loadBefore: number): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    ros: `${process.env['ROS_DISTRO'] ?? 'none'}, ${process.env['RMW_IMPLEMENTATION'] ?? 'default middleware'}`,
    triton: triton === undefined ? 'not used' : `${await versionOf(triton)} on the CPU, over loopback`,
    loadBefore,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function machineText({ cpu, cores, memoryGiB, node, ros, triton, loadBefore, date }: Machine): string {
  return (
    `${date}. ${cpu}, ${cores} cores, ${memoryGiB} GiB, no GPU. Node ${node}; ROS 2 ${ros}; Triton ${triton}. ` +
    `Load of the minute before: ${loadBefore.toFixed(2)}.`
  );
}

async function versionOf(triton: TritonServer): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${triton.ports.http}/v2`);
  return serverMetadata.parse(await response.json()).version;
}
