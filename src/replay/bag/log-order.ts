/** The messages of many segments in order of log time, holding only those segments that overlap. */
import type { Segment } from './bag-file.js';
import type { MessageBlock } from './message-block.js';

/** Messages of a block that follow each other. */
export interface MessageRun {
  readonly block: MessageBlock;
  readonly from: number;
  /** Behind the last one. */
  readonly to: number;
}

/** A run is not longer, so that progress can be told. */
const LONGEST_RUN = 4096;

interface Pending {
  readonly segment: Segment;
  readonly order: number;
}

interface Cursor {
  readonly block: MessageBlock;
  readonly order: number;
  next: number;
}

/** Messages of one log time keep the order of their segments, then that within the segment. */
export async function* inLogOrder(segments: readonly Segment[]): AsyncGenerator<MessageRun, void, undefined> {
  const pending = segments.map((segment, order) => ({ segment, order })).sort(latestFirst);
  const cursors: Cursor[] = [];
  for (;;) {
    const nearest = pending.at(-1);
    const first = earliest(cursors, undefined);
    if (nearest !== undefined && (first === undefined || nearest.segment.sinceStartNs <= timeOf(first))) {
      pending.pop();
      const { block, next } = await nearest.segment.load();
      if (block.count > 0) cursors.push({ block, order: nearest.order, next: 0 });
      if (next !== undefined) putBack(pending, { segment: next, order: nearest.order });
      continue;
    }
    if (first === undefined) return;
    yield runOf(first, earliest(cursors, first), nearest?.segment.sinceStartNs ?? Number.POSITIVE_INFINITY);
    if (first.next === first.block.count) cursors.splice(cursors.indexOf(first), 1);
  }
}

function latestFirst(a: Pending, b: Pending): number {
  return b.segment.sinceStartNs - a.segment.sinceStartNs || b.order - a.order;
}

function putBack(pending: Pending[], one: Pending): void {
  let place = pending.length;
  while (place > 0 && latestFirst(pending[place - 1] as Pending, one) > 0) place -= 1;
  pending.splice(place, 0, one);
}

/** As far as the cursor is the earliest, before the instant from which another segment may have something. */
function runOf(cursor: Cursor, rival: Cursor | undefined, limitNs: number): MessageRun {
  const { block, next: from } = cursor;
  const most = Math.min(block.count, from + LONGEST_RUN);
  do cursor.next += 1;
  while (cursor.next < most && timeOf(cursor) < limitNs && (rival === undefined || isBefore(cursor, rival)));
  return { block, from, to: cursor.next };
}

function earliest(cursors: readonly Cursor[], except: Cursor | undefined): Cursor | undefined {
  let first: Cursor | undefined;
  for (const cursor of cursors) if (cursor !== except && (first === undefined || isBefore(cursor, first))) first = cursor;
  return first;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && a.order < b.order);
}

function timeOf({ block, next }: Cursor): number {
  return block.sinceStartNs(next);
}
