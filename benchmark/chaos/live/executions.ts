/** What truly ran at the server, from the lines that its models wrote when they began and ended. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const line = z.object({ monotonic_us: z.number(), event: z.enum(['begin', 'end']), id: z.string(), pid: z.number() });

/** A process that was killed, on the monotonic clock; without a number all of the server. */
export interface Death {
  readonly atUs: number;
  readonly pid?: number;
}

export interface Execution {
  readonly id: string;
  readonly beginUs: number;
  /** Infinity while it runs. */
  readonly endUs: number;
}

/** @param text lines of JSON; a last one that is not whole yet is left out */
export function readExecutions(text: string, deaths: readonly Death[]): Execution[] {
  const running = new Map<string, { id: string; pid: number; beginUs: number }>();
  const ended: Execution[] = [];
  for (const json of text.split('\n').slice(0, -1)) {
    const { monotonic_us: atUs, event, id, pid } = line.parse(JSON.parse(json));
    const key = `${pid} ${id}`;
    const begun = running.get(key);
    running.delete(key);
    if (begun !== undefined) ended.push({ id, beginUs: begun.beginUs, endUs: event === 'end' ? atUs : diedAtUs(begun, deaths) });
    if (event === 'begin') running.set(key, { id, pid, beginUs: atUs });
  }
  for (const begun of running.values()) ended.push({ id: begun.id, beginUs: begun.beginUs, endUs: diedAtUs(begun, deaths) });
  return ended;
}

/** In order of their ends. */
export function executionsIn({ log, deaths }: { readonly log: string; readonly deaths: readonly Death[] }): Execution[] {
  return readExecutions(readFileSync(log, 'utf8'), deaths);
}

/** The most that ran at the same time, of those that the governor holds credits for: others have no name. */
export function mostAtOnce(executions: readonly Execution[]): number {
  const named = executions.filter(({ id }) => id !== '');
  const steps = named.flatMap(({ beginUs, endUs }) => [
    { atUs: beginUs, by: 1 },
    { atUs: endUs, by: -1 },
  ]);
  // What ends at the instant at which another one begins does not run beside it.
  steps.sort((one, other) => one.atUs - other.atUs || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of steps) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function diedAtUs(begun: { readonly pid: number; readonly beginUs: number }, deaths: readonly Death[]): number {
  const after = deaths.filter(({ atUs, pid }) => atUs >= begun.beginUs && (pid === undefined || pid === begun.pid));
  return Math.min(Number.POSITIVE_INFINITY, ...after.map(({ atUs }) => atUs));
}

/** On the clock that the lines are stamped with. */
export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
