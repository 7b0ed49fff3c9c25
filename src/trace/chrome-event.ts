/** One event of the Chrome trace format; `ts` and `dur` in microseconds. */
export interface ChromeEvent {
  readonly ph: 'M' | 'X' | 's' | 't' | 'f' | 'i' | 'C';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly cat?: string;
  readonly bp?: 'e';
  readonly s?: 'p';
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A row on the screen. Threads are found by their number alone in Perfetto, so it is another one in each process, and never 0. */
export interface Track {
  readonly pid: number;
  readonly tid: number;
}

const TRACKS_PER_PROCESS = 65_536;

/** @param lane from 0. */
export function track(pid: number, lane: number): Track {
  return { pid, tid: pid * TRACKS_PER_PROCESS + lane };
}

export function processName(pid: number, name: string): ChromeEvent {
  return { ph: 'M', name: 'process_name', ...track(pid, 0), args: { name } };
}

export function trackName(of: Track, name: string): ChromeEvent {
  return { ph: 'M', name: 'thread_name', ...of, args: { name } };
}
