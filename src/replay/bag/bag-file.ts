/** What a bag gives, whatever it is stored in. */
import type { MessageBlock } from './message-block.js';

/** One topic of a bag file. */
export interface Channel {
  readonly topic: string;
  /** package/msg/Name. */
  readonly type: string;
  /** How messages are serialised: `cdr`. */
  readonly encoding: string;
  /** The text of the message definition, where the bag has it. */
  readonly definition?: { readonly encoding: string; readonly text: string };
}

/** A part of a bag file that is read in one go. */
export interface Segment {
  /** No message of the segment, or of those that follow it, was logged earlier; from the start of the bag. */
  readonly sinceStartNs: number;
  /** Never rejects: what cannot be read is a problem of the bag, and left out. */
  load(): Promise<LoadedSegment>;
}

export interface LoadedSegment {
  /** In order of log time. */
  readonly block: MessageBlock;
  /** What is left of a segment that is read piece by piece. */
  readonly next?: Segment;
}

/** Whether anybody wants the messages of a topic. */
export type TopicFilter = (topic: string) => boolean;

export interface BagFile {
  readonly file: string;
  /** Log times of the first and the last message; absent without any. */
  readonly span: LogSpan | undefined;
  /** As many messages as the file says it has; absent where it does not say. */
  readonly messageCount: number | undefined;
  /** The same by topic; to be asked once everything has been read. */
  readonly promised: MessageCounts | undefined;
  /** @param span of the bag: all files of it count from its start, and messages beyond it are left out. */
  segments(wanted: TopicFilter, span: LogSpan): readonly Segment[];
  /** Of all messages that can be read, in no order. */
  logTimes(): Promise<readonly bigint[]>;
  /** The topics met so far; all of them once everything has been read. */
  channels(): Iterable<Channel>;
  close(): Promise<void>;
}

/** Messages by topic. */
export type MessageCounts = ReadonlyMap<string, number>;

export interface LogSpan {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** From the start of a bag to the start of a segment; a start that cannot be is as early as any. */
export function sinceStartOf(startNs: bigint, span: LogSpan): number {
  return startNs < span.startNs || startNs > span.endNs ? 0 : Number(startNs - span.startNs);
}

/** From the first start to the last end. */
export function spanOf(spans: Iterable<LogSpan | undefined>): LogSpan | undefined {
  let whole: LogSpan | undefined;
  for (const span of spans) whole = whole === undefined ? span : span === undefined ? whole : joined(whole, span);
  return whole;
}

function joined(a: LogSpan, b: LogSpan): LogSpan {
  const [first, second] = a.startNs <= b.startNs ? [a, b] : [b, a];
  return first.endNs >= second.endNs ? first : { startNs: first.startNs, endNs: second.endNs };
}

/** `sensor_msgs/Image`, as some recorders write it, is `sensor_msgs/msg/Image`. */
export function fullTypeName(type: string): string {
  const [packageName, name, ...rest] = type.split('/');
  return packageName !== undefined && name !== undefined && rest.length === 0 ? `${packageName}/msg/${name}` : type;
}
