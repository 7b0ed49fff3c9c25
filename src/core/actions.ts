/** What the core decides. Every action carries why; explain, trace and outcome texts print exactly that (rules.md 1). */
import type { CauseOf, State } from './catalogue.js';
import type { Proof } from './proof/claim.js';
import type { Quantum } from './quanta/generation.js';
import type { Micros, RequestId } from './units.js';

/** Grounds of a decision, as facts. Fields that played no part are absent. */
export interface Why {
  /** Time left to max_age at the decision, negative when overdue. */
  readonly slackUs?: Micros;
  /** The optimistic runtime that the freshness test used. */
  readonly optimisticUs?: Micros;
  /** When the execution is expected to start: now, or the predicted end of the call it follows. */
  readonly startUs?: Micros;
  /** The call it follows at the server, when sent ahead of its end. */
  readonly follows?: RequestId;
  /** The request that took its place. */
  readonly supersededBy?: RequestId;
  /** What stood in its way. */
  readonly blockedBy?: string;
  /** Planned runtime on the variant considered. */
  readonly plannedUs?: Micros;
  /** What the time ahead is worth with this start, and with the best wait that it was weighed against (`scheduling.policy: planned`). */
  readonly startWorth?: number;
  readonly waitWorth?: number;
  /** The instant that this wait would have been for. */
  readonly waitUntilUs?: Micros;
  /** When the frame that it would have endangered is expected; absent for one that waits already. */
  readonly expectedUs?: Micros;
  /** The best variant that was ready, where one of less quality was taken; what stood against it, how long it was planned to run. */
  readonly passedOver?: string;
  readonly passedOverFor?: PassedOverFor;
  readonly passedOverPlannedUs?: Micros;
  /** What the time ahead was worth with it, where the plan weighed it. */
  readonly passedOverWorth?: number;
  /** It goes first in its class: one more missed cycle would break the miss budget of its contract. */
  readonly mandatory?: true;
  /** Of a request that generates: tokens so far. */
  readonly generated?: number;
  /** Tokens of the call considered. */
  readonly tokens?: number;
}

/**
 * max_age: its result would come too old. deadline: after the deadline. supply: after the last result gets too old for the consumer.
 * overload: the fastest one is taken. dwell: the variant changed a moment ago. busy: no instance of it was free. others: the time is kept for
 * other frames. worth: the plan makes more of the time with the one that was taken.
 */
export const PASSED_OVER_FOR = ['max_age', 'deadline', 'supply', 'overload', 'dwell', 'busy', 'others', 'worth'] as const;
export type PassedOverFor = (typeof PASSED_OVER_FOR)[number];

export interface Dispatch {
  readonly type: 'dispatch';
  readonly request: RequestId;
  readonly stream: string;
  readonly backend: string;
  readonly model: string;
  readonly variant: string;
  readonly backendModel: string;
  /** Of a cooperative model: which call of its request it is, and how much it may generate. */
  readonly quantum?: Quantum;
  readonly why: Why;
}

/** A request has to wait although it could be sent: it would make a frame of a higher class late. Told once while that stands. */
export interface Defer {
  readonly type: 'defer';
  readonly request: RequestId;
  readonly stream: string;
  /** The variant it would have run on. */
  readonly variant: string;
  /** `blockedBy` is the name of the stream it would have endangered. */
  readonly why: Why;
}

/** The one terminal outcome of a request. */
export interface Terminate<S extends State = State> {
  readonly type: 'terminate';
  readonly request: RequestId;
  readonly stream: string;
  readonly state: S;
  readonly cause: CauseOf<S>;
  /** Since capture. */
  readonly ageUs: Micros;
  /** From arrival to dispatch, or to the end when it was never dispatched. */
  readonly waitingUs: Micros;
  /** From dispatch to the end; absent when it was never dispatched. */
  readonly serviceUs?: Micros;
  readonly deadlineMissed: boolean;
  /** The variant it ran on, or was refused for. */
  readonly variant?: string;
  readonly why: Why;
}

/** A credit came back after its request had ended: the answer is neither published nor learned from. */
export interface LateAnswer {
  readonly type: 'late_answer';
  readonly request: RequestId;
  readonly backend: string;
}

/** Hand in a tick at this instant. The newest wake-up replaces the one before. */
export interface Wake {
  readonly type: 'wake';
  readonly at: Micros;
}

/** The overload level of a backend went one step up or down. */
export interface LevelChange {
  readonly type: 'level';
  readonly backend: string;
  readonly level: number;
  readonly previous: number;
  /** Guarded requests that ended in the last second, and those of them that were violated. */
  readonly why: { readonly violations: number; readonly samples: number };
}

/** A stream broke the miss budget of its contract; told once, until it is kept again. */
export interface Violation {
  readonly type: 'violation';
  readonly stream: string;
  /** Cycles missed in the window, and one after the other until now; the edition of the contract that was broken. */
  readonly why: { readonly misses: number; readonly inRow: number; readonly contractVersion?: number };
}

/** A credit came back without an answer: the end of its call is proven otherwise (rules.md 11). */
export interface Reconciled {
  readonly type: 'reconciled';
  readonly request: RequestId;
  readonly backend: string;
  readonly by: Proof;
}

/** A server, or one model of it, was noticed to have restarted; told once. */
export interface Restart {
  readonly type: 'restart';
  readonly backend: string;
  /** Where its counter fell; absent where the whole server is another process. */
  readonly backendModel?: string;
  /** Restarts of the backend so far. */
  readonly restarts: number;
}

/** How often to ask for the counter of a model from now on. Every five seconds until it is told for the first time. */
export interface Poll {
  readonly type: 'poll';
  readonly backend: string;
  readonly backendModel: string;
  readonly everyUs: Micros;
}

export type Action = Dispatch | Defer | Terminate | LateAnswer | Reconciled | Restart | Poll | LevelChange | Violation | Wake;
