/** The machine that measured, without names. */
import { cpus, totalmem } from 'node:os';

export interface Host {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly date: string;
}

export function describeHost(): Host {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function hostText({ cpu, cores, memoryGiB, node, date }: Host): string {
  return `${date}. ${cpu}, ${cores} cores, ${memoryGiB} GiB, no GPU. Node ${node}`;
}
