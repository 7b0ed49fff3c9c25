/** The messages of many segments in order of log time, holding only those segments that overlap. */
import type { BagMessage, Segment } from './bag-file.js';

const BATCH = 1024;

interface Pending {
  readonly segment: Segment;
  readonly order: number;
}

interface Cursor {
  readonly messages: readonly BagMessage[];
  readonly order: number;
  next: number;
}

/** Messages of one log time keep the order of their segments, then that within the segment. */
export async function* inLogOrder(segments: readonly Segment[]): AsyncGenerator<readonly BagMessage[], void, undefined> {
  const pending = segments.map((segment, order) => ({ segment, order })).sort(latestFirst);
  const cursors: Cursor[] = [];
  for (;;) {
    const nearest = pending.at(-1);
    const first = earliest(cursors);
    if (nearest !== undefined && (first === undefined || nearest.segment.startNs <= logNsOf(first))) {
      pending.pop();
      const { messages, next } = await nearest.segment.load();
      if (messages.length > 0) cursors.push({ messages, order: nearest.order, next: 0 });
      if (next !== undefined) putBack(pending, { segment: next, order: nearest.order });
      continue;
    }
    if (first === undefined) return;
    yield batchBefore(cursors, nearest?.segment.startNs);
  }
}

function latestFirst(a: Pending, b: Pending): number {
  if (a.segment.startNs !== b.segment.startNs) return a.segment.startNs < b.segment.startNs ? 1 : -1;
  return b.order - a.order;
}

function putBack(pending: Pending[], one: Pending): void {
  let place = pending.length;
  while (place > 0 && latestFirst(pending[place - 1] as Pending, one) > 0) place -= 1;
  pending.splice(place, 0, one);
}

/** What comes before an instant, up to a batch. */
function batchBefore(cursors: Cursor[], limitNs: bigint | undefined): BagMessage[] {
  const batch: BagMessage[] = [];
  while (batch.length < BATCH) {
    const cursor = earliest(cursors);
    if (cursor === undefined || (limitNs !== undefined && logNsOf(cursor) >= limitNs)) break;
    batch.push(cursor.messages[cursor.next] as BagMessage);
    cursor.next += 1;
    if (cursor.next === cursor.messages.length) cursors.splice(cursors.indexOf(cursor), 1);
  }
  return batch;
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first = cursors[0];
  for (let index = 1; index < cursors.length; index += 1) {
    const other = cursors[index] as Cursor;
    if (first === undefined || isBefore(other, first)) first = other;
  }
  return first;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const aNs = logNsOf(a);
  const bNs = logNsOf(b);
  return aNs < bNs || (aNs === bNs && a.order < b.order);
}

function logNsOf({ messages, next }: Cursor): bigint {
  return (messages[next] as BagMessage).logNs;
}

/** Sorts in place what usually is in order already. */
export function sortByLogTime(messages: BagMessage[]): BagMessage[] {
  for (let index = 1; index < messages.length; index += 1) {
    if ((messages[index] as BagMessage).logNs < (messages[index - 1] as BagMessage).logNs) {
      return messages.sort((a, b) => (a.logNs < b.logNs ? -1 : a.logNs > b.logNs ? 1 : 0));
    }
  }
  return messages;
}
