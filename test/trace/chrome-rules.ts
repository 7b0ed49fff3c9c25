/** What Perfetto keeps of an export: it drops slices that overlap without nesting, instants before 0, and flows without another half. */
import type { ChromeEvent } from '../../src/trace/chrome-event.js';

/** @returns what breaks a rule, one text each. */
export function broken(events: readonly ChromeEvent[]): string[] {
  return [...unnamed(events), ...before0(events), ...[...byTrack(events).values()].flatMap(unnested), ...halfFlows(events)];
}

export function slicesOf(events: readonly ChromeEvent[]): (ChromeEvent & { readonly ts: number; readonly dur: number })[] {
  return events.flatMap((event) => (event.ph === 'X' ? [{ ...event, ts: event.ts ?? Number.NaN, dur: event.dur ?? Number.NaN }] : []));
}

/** Names of processes and tracks by number. */
export function namesOf(events: readonly ChromeEvent[], kind: 'process_name' | 'thread_name'): Map<number, unknown> {
  const named = events.filter(({ ph, name }) => ph === 'M' && name === kind);
  return new Map(named.map(({ pid, tid, args }) => [kind === 'process_name' ? pid : tid, args?.['name']]));
}

function unnamed(events: readonly ChromeEvent[]): string[] {
  const [processes, threads] = [namesOf(events, 'process_name'), namesOf(events, 'thread_name')];
  const without = events.filter(({ pid, tid }) => !processes.has(pid) || !threads.has(tid));
  const owners = new Map(events.map(({ pid, tid }) => [tid, pid]));
  const shared = events.filter(({ pid, tid }) => owners.get(tid) !== pid || tid === 0);
  return [
    ...without.map((event) => `without a name: ${JSON.stringify(event)}`),
    ...shared.map((event) => `a track number of another process, or 0: ${JSON.stringify(event)}`),
  ];
}

function before0(events: readonly ChromeEvent[]): string[] {
  const wrong = events.filter(({ ph, ts, dur }) => (ph !== 'M' && !((ts ?? -1) >= 0)) || (ph === 'X' && !((dur ?? -1) >= 0)));
  return wrong.map((event) => `no instant, or before 0: ${JSON.stringify(event)}`);
}

function byTrack(events: readonly ChromeEvent[]): Map<number, ReturnType<typeof slicesOf>> {
  return groupedBy(slicesOf(events), ({ tid }) => tid);
}

function unnested(slices: ReturnType<typeof slicesOf>): string[] {
  const faults: string[] = [];
  const ends: number[] = [];
  for (const slice of slices.toSorted((one, other) => one.ts - other.ts || other.dur - one.dur)) {
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= slice.ts) ends.pop();
    const end = slice.ts + slice.dur;
    if (end > (ends.at(-1) ?? Number.POSITIVE_INFINITY)) faults.push(`overlaps without nesting: ${JSON.stringify(slice)}`);
    ends.push(end);
  }
  return faults;
}

function halfFlows(events: readonly ChromeEvent[]): string[] {
  const flows = groupedBy(
    events.filter(({ ph }) => ph === 's' || ph === 't' || ph === 'f'),
    ({ id }) => id,
  );
  const slices = byTrack(events);
  return [...flows].flatMap(([id, flow]) => {
    const inTime = flow.toSorted((one, other) => (one.ts ?? 0) - (other.ts ?? 0));
    const phases = inTime.map(({ ph }) => ph).join('');
    const bound = flow.map(({ ph, tid, ts = -1 }) => ({ ph, ts, slice: topmost(slices.get(tid) ?? [], ts) }));
    const loose = bound.filter(({ ts, slice }) => slice?.args?.['request'] !== id || slice === undefined || slice.ts + slice.dur < ts);
    return [
      ...(/^st*f$/.test(phases) ? [] : [`flow ${id} is ${phases}`]),
      ...loose.map(({ ph, slice }) => `flow ${id}: ${ph} is bound to ${JSON.stringify(slice)}`),
    ];
  });
}

/** The slice that a flow is bound to: the one that began last and has not given way to another, instants being handled slices first. */
function topmost(slices: ReturnType<typeof slicesOf>, ts: number): ReturnType<typeof slicesOf>[number] | undefined {
  const stack: typeof slices = [];
  for (const slice of slices.toSorted((one, other) => one.ts - other.ts || other.dur - one.dur)) {
    if (slice.ts > ts) break;
    const givesWay = (open: (typeof slices)[number]) =>
      open.ts + open.dur < slice.ts || (open.ts + open.dur === slice.ts && (open.dur > 0 || slice.dur > 0));
    while (stack.some(givesWay)) stack.pop();
    stack.push(slice);
  }
  return stack.at(-1);
}

function groupedBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
