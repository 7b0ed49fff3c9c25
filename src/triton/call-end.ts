/**
 * What the end of a gRPC call proves about the execution behind it (rules.md 11). Nothing is guessed: what is neither an answer nor a
 * proof that nothing was sent is `unknown`, and keeps its credit.
 */
import { status } from '@grpc/grpc-js';
import type { CauseOf } from '../core/catalogue.js';
import type { CallEnd } from '../governor/ports.js';
import { oneLine } from './one-line.js';
import { type CallName, isQueueTimeout, isRefusal } from './refusals.js';

/** A call that ended without a response message. */
export interface GrpcEnd {
  readonly code: status;
  readonly details: string;
  /** The status came in headers of the server. The statuses that grpc-js makes up itself carry no headers. */
  readonly hasServerHeaders: boolean;
}

/** Every way a call can end without outputs. */
export type FailedEnd = Exclude<CallEnd, { result: 'ok' }>;

/** Texts of grpc-js for calls of which no byte, or no stream, went out, or which HTTP/2 guarantees were not processed. */
const NEVER_SENT: readonly RegExp[] = [
  /^Channel closed before call started/, // it waited for a connection that was closed
  /^Failed to start HTTP\/2 stream/, // the session refused to make a stream
  /^No connection established/,
  /^Request message serialization failure/,
  /^Stream refused by server/, // REFUSED_STREAM: RFC 9113, 8.7
];

/** Texts of grpc-js for an answer that arrived and was longer than our receive limit. Other ends share its code, RESOURCE_EXHAUSTED. */
const TOO_LARGE: readonly RegExp[] = [/^Received message larger than max/, /^Received message that decompresses to a size larger than/];

/** Texts of grpc-js for an answer that arrived and is not what the protocol says. */
const UNREADABLE: readonly RegExp[] = [
  /^Response message parsing error/,
  /^Too many responses received/,
  /^No message received/,
  /^Failed to decompress/,
  /^Received compressed message but/,
];

/** Codes that grpc-js never makes up by itself. */
const ONLY_FROM_SERVER: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.DATA_LOSS,
]);

/** Answers after which the execution may go on: a proxy between us and the server, or the server itself, gave up waiting. */
const LEAVES_OPEN: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED, status.CANCELLED]);

/** Answers given before the model was asked. */
const REJECTS: ReadonlySet<status> = new Set([status.RESOURCE_EXHAUSTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED]);

const matches = (texts: readonly RegExp[], details: string): boolean => texts.some((text) => text.test(details));

/** What this end of this call proves. */
export function classifyEnd(end: GrpcEnd, call: CallName): FailedEnd {
  const detail = describeEnd(end);
  if (end.hasServerHeaders || ONLY_FROM_SERVER.has(end.code)) return classifyAnswer(end, call, detail);
  if (matches(NEVER_SENT, end.details)) return { result: 'not_started', detail };
  if (end.code === status.RESOURCE_EXHAUSTED && matches(TOO_LARGE, end.details)) return failed('response_too_large', detail);
  if (matches(UNREADABLE, end.details)) return failed('bad_output', detail);
  return { result: 'unknown', detail };
}

/** Whether an answer came that is no answer: too long, or not what the protocol says. */
export function isUnreadable({ code, details, hasServerHeaders }: GrpcEnd): boolean {
  if (hasServerHeaders) return false;
  return matches(UNREADABLE, details) || (code === status.RESOURCE_EXHAUSTED && matches(TOO_LARGE, details));
}

/** One line for a person: the code by name, and what was said. */
export function describeEnd(end: Pick<GrpcEnd, 'code' | 'details'>): string {
  const text = oneLine(end.details);
  return text === '' ? (status[end.code] ?? `code ${end.code}`) : `${status[end.code] ?? `code ${end.code}`}: ${text}`;
}

function classifyAnswer(end: GrpcEnd, call: CallName, detail: string): FailedEnd {
  if (isRefusal(end, call)) return { result: 'not_counted', detail };
  if (isQueueTimeout(end)) return failed('rejected_by_server', detail);
  if (LEAVES_OPEN.has(end.code)) return { result: 'unknown', detail };
  return failed(REJECTS.has(end.code) ? 'rejected_by_server' : 'model_error', detail);
}

function failed(cause: CauseOf<'backend_failed'>, detail: string): FailedEnd {
  return { result: 'failed', cause, detail };
}
