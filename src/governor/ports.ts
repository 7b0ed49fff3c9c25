/**
 * What the actor needs of the world: a clock, backends, a publisher, a sink for the trace. The same actor runs live, in replay and in
 * the simulator; only the implementations of these ports differ (design.md 2).
 */
import type { Action } from '../core/actions.js';
import type { Cause, CauseOf, State } from '../core/catalogue.js';
import type { CoreEvent } from '../core/events.js';
import type { Generated, Prompt, Quantum } from '../core/quanta/generation.js';
import type { Micros, RequestId } from '../core/units.js';

/** std_msgs/Header of the input, carried through untouched. */
export interface Header {
  readonly stamp: { readonly sec: number; readonly nanosec: number };
  readonly frameId: string;
}

/** KServe v2 tensor datatypes. */
export const DATATYPES = [
  'BOOL',
  'UINT8',
  'UINT16',
  'UINT32',
  'UINT64',
  'INT8',
  'INT16',
  'INT32',
  'INT64',
  'FP16',
  'FP32',
  'FP64',
  'BF16',
  'BYTES',
] as const;
export type Datatype = (typeof DATATYPES)[number];

/** An input tensor that is not made yet: it is written once, at dispatch, straight to where the server reads it. */
export interface TensorSource {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly byteLength: number;
  /** @param target exactly `byteLength` bytes, any content; aligned for the datatype. */
  write(target: Uint8Array): void;
}

/** An output tensor as the server sent it: little endian, row-major. */
export interface OutputTensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** A box in pixels of the source image. */
export interface Detection {
  readonly classId: number;
  readonly label: string;
  readonly score: number;
  readonly centerX: number;
  readonly centerY: number;
  readonly sizeX: number;
  readonly sizeY: number;
}

/** A received message, checked but not converted: its bytes are ours until its request ends. */
export interface Frame {
  readonly stream: string;
  readonly header: Header;
  /** What it asks of a cooperative model. */
  readonly prompt?: Prompt;
  /** The inputs of a call to this variant. Cheap: nothing is converted before `write`. */
  inputs(variant: string): readonly TensorSource[];
  /**
   * What the model saw.
   * @throws {Error} when the outputs cannot be read as the model's decoder expects them; the message is for a person.
   */
  decode(variant: string, outputs: readonly OutputTensor[]): readonly Detection[];
}

/** Monotonic, in core time. */
export interface Clock {
  now(): Micros;
  /** Runs `task` once, not before `at`. @returns a function that cancels it. */
  schedule(at: Micros, task: () => void): () => void;
  /** Absent where core time is the machine's own time. */
  readonly machine?: MachineTime;
}

/** The machine's time beside a core time that stands still and leaps (use_sim_time, adr/0018): limits and silence are measured by it. */
export interface MachineTime {
  now(): Micros;
  /** As `Clock.schedule`, by the machine's time. */
  schedule(at: Micros, task: () => void): () => void;
  /** Core time, later than all that was read before: while it stands, what is asked, done and answered still has an order. */
  orderedNow(): Micros;
  /** Goes on at the pace of core time when that stands or leaps: the difference of two readings is how long something ran. */
  workNow(): Micros;
  /** Core time that goes with one unit of the machine's, while core time runs. */
  readonly pace: number;
}

export interface Call {
  readonly request: RequestId;
  readonly stream: string;
  readonly backendModel: string;
  readonly inputs: readonly TensorSource[];
  /** Of a cooperative model: how much of the answer is asked for. */
  readonly quantum?: Quantum;
}

/** How a call ended, as far as the client can know (rules.md 11). */
export type CallEnd =
  | { readonly result: 'ok'; readonly outputs: readonly OutputTensor[]; readonly modelVersion: string; readonly generated?: Generated }
  | { readonly result: 'failed'; readonly cause: CauseOf<'backend_failed'>; readonly detail: string }
  | { readonly result: 'unknown'; readonly detail: string; readonly witnessed?: true }
  | { readonly result: 'not_counted' | 'not_started'; readonly detail: string };

/**
 * Starts a call and hands over its end, once, however long that takes; giving up earlier is the actor's business, and does not end it.
 * A callback and not a promise, so that virtual time needs no turns of the event loop. Never throws.
 */
export type StartCall = (call: Call, ended: (end: CallEnd) => void) => void;

export interface Backend {
  /** `StartCall` with a promise. Never rejects. */
  infer(call: Call): Promise<CallEnd>;
}

/** One terminal outcome; durations in microseconds, absent = unknown. */
export interface OutcomeRecord {
  readonly header: Header;
  readonly stream: string;
  readonly request: RequestId;
  readonly state: State;
  readonly cause: Cause;
  readonly ageUs?: number;
  readonly waitingUs?: number;
  readonly serviceUs?: number;
  readonly slackUs?: number;
  readonly deadlineMissed: boolean;
  readonly supersededBy?: RequestId;
  readonly variant?: string;
  readonly blockedBy?: string;
  /** One line for a person. */
  readonly detail: string;
}

export interface ResultRecord {
  readonly header: Header;
  readonly stream: string;
  readonly request: RequestId;
  readonly model: string;
  readonly variant: string;
  readonly modelVersion: string;
  readonly obsolete: boolean;
  readonly deadlineMissed: boolean;
  readonly ageUs: number;
  readonly waitingUs: number;
  readonly serviceUs: number;
  readonly outputs: readonly OutputTensor[];
  readonly detections: readonly Detection[];
}

/** Hears of every frame: `received` once, then `result` where there is one, then `outcome` once. Must not throw. */
export interface Publisher {
  received(stream: string, ageUs: number | undefined): void;
  result(record: ResultRecord): void;
  outcome(record: OutcomeRecord): void;
}

/** The end of a message that never became a request of the core. */
export type Refusal = Pick<OutcomeRecord, 'request' | 'stream' | 'state' | 'cause' | 'ageUs' | 'detail'>;

/** Hears of every event of the core and what it decided, which is enough to run it again, and of what the core never heard of. Must not throw. */
export interface TraceSink {
  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void;
  refused(refusal: Refusal, at: Micros): void;
}
