/** What the core is told (rules.md 1). Each is handed in with the instant it is handled at. */
import type { CauseOf } from './catalogue.js';
import type { Contract } from './configuration.js';
import type { LearnedVariant } from './learned.js';
import type { Generated, Prompt } from './quanta/generation.js';
import type { Micros, RequestId } from './units.js';

/** A message became a request. */
export interface Arrival {
  readonly type: 'arrival';
  readonly request: RequestId;
  readonly stream: string;
  /** Capture on the core clock: the generation that orders frames. */
  readonly capture: Micros;
  /** The raw stamp in nanoseconds; only equality with the one before is looked at. */
  readonly stampNs: bigint;
  /** What it asks of a cooperative model; to any other one it means nothing. */
  readonly prompt?: Prompt;
}

/** How a call ended. Every result but `unknown` proves the end of the execution and returns the credit. */
export type CallResult =
  | { readonly result: 'ok'; readonly generated?: Generated }
  /** Answered with an error, or with an answer that cannot be used. */
  | { readonly result: 'failed'; readonly cause: CauseOf<'backend_failed'> }
  /** Refused before it ran, so that the server does not count it (docs/counted-ends.md). */
  | { readonly result: 'not_counted' }
  /** It never reached the server. */
  | { readonly result: 'not_started' }
  /** Returned without an answer: the execution may go on. `witnessed`: it was sent to the process that holds the boot witness. */
  | { readonly result: 'unknown'; readonly witnessed?: true };

export interface Completion {
  readonly type: 'completion';
  readonly request: RequestId;
  /** Which call of a request that has several, by its number; without it the one that runs. */
  readonly quantum?: number;
  readonly end: CallResult;
  readonly ran?: Ran;
}

/**
 * When a call was sent and when it ended by a clock that neither stands nor leaps, where the core's time does: runtimes are learned by it.
 * Only differences are looked at.
 */
export interface Ran {
  readonly sentUs: Micros;
  readonly endedUs: Micros;
}

/** The requester stops waiting; the call itself stays open. */
export interface Timeout {
  readonly type: 'timeout';
  readonly request: RequestId;
}

/** A backend model can, or can no longer, be called. All start as not ready. */
export interface Readiness {
  readonly type: 'readiness';
  readonly backend: string;
  readonly backendModel: string;
  readonly ready: boolean;
  /** Instances of the model as its server reports them; ModelConfiguration.instances, where given, beats it. */
  readonly instances?: number;
  /** Its inputs and outputs in one comparable text: variants that differ in it do not stand in for each other. */
  readonly signature?: string;
}

/** How long an answer of this backend takes beyond the execution itself; sets the default pipelining lead. */
export interface RoundTrip {
  readonly type: 'round_trip';
  readonly backend: string;
  readonly p90: Micros;
}

/** Executions of a model that its server has finished so far, well or not, all versions together. */
export interface CounterReport {
  readonly type: 'counter';
  readonly backend: string;
  readonly backendModel: string;
  readonly completed: number;
  /** When the server was asked; it answered then or later. */
  readonly polledUs: Micros;
}

/** Whether a server still knows what it was told when it started; one that does not is another process. */
export interface WitnessReport {
  readonly type: 'witness';
  readonly backend: string;
  readonly present: boolean;
  /** When the server was asked. */
  readonly polledUs: Micros;
}

/** A call that is no request, and that the server counts nevertheless: told when it is sent, and again when it has ended. */
export interface WarmUpCall {
  readonly type: 'warm_up';
  readonly backend: string;
  readonly backendModel: string;
  /** Its number, of all warm-up calls of the backend. */
  readonly call: number;
  readonly end?: CallResult;
}

export interface Cancel {
  readonly type: 'cancel';
  readonly request: RequestId;
}

/** Stop starting work: what waits ends, what runs may finish. */
export interface Drain {
  readonly type: 'drain';
}

/** The time for draining is over: what is still in flight gets its outcome, its credit stays held. */
export interface DrainLimit {
  readonly type: 'drain_limit';
}

/** Serve again after a drain; held credits stay held. */
export interface Resume {
  readonly type: 'resume';
}

/** Contracts change, in whole: all of them or, when one is refused, none. What waits stays; estimates stay. */
export interface Reconfigure {
  readonly type: 'reconfigure';
  readonly contracts: readonly ContractChange[];
}

export interface ContractChange {
  readonly stream: string;
  readonly contract: Contract;
}

/**
 * The clock that captures are read by jumped, as when a bag starts over: what waits ends, and no stream remembers which frame was its
 * newest. The core's own time goes on, and runtimes stay known.
 */
export interface ClockJump {
  readonly type: 'clock_jump';
}

/** What an earlier run learned of runtimes; what belongs to a variant that is no longer the same is let go. */
export interface Restore {
  readonly type: 'restore';
  readonly learned: readonly LearnedVariant[];
}

/** Time has passed. */
export interface Tick {
  readonly type: 'tick';
}

export type CoreEvent =
  | Arrival
  | Completion
  | Timeout
  | Readiness
  | RoundTrip
  | CounterReport
  | WitnessReport
  | WarmUpCall
  | Cancel
  | Drain
  | DrainLimit
  | Resume
  | Reconfigure
  | ClockJump
  | Restore
  | Tick;
