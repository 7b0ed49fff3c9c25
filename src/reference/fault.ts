/** Faults on command: what they are. `fault-request.ts` reads them. */
import type { status } from '@grpc/grpc-js';

/** arrival: before anything is looked at · execution: on the instance, when it begins · answer: executed and counted, not answered yet. */
export const INSTANTS = ['arrival', 'execution', 'answer'] as const;
export type Instant = (typeof INSTANTS)[number];

interface OfModels {
  /** Every model without it. */
  readonly model?: string | undefined;
}

interface OfCalls extends OfModels {
  readonly at: Instant;
  /** How many calls it meets; all without it. */
  readonly count?: number | undefined;
}

/** hang: nothing more happens until the fault is cleared · error: the call fails · disconnect: its connection is reset. */
export type CallFault = OfCalls &
  (
    | { readonly fault: 'hang' }
    | { readonly fault: 'error'; readonly code: keyof typeof status; readonly details: string }
    | { readonly fault: 'disconnect' }
  );

/** Readiness is said to be this, whatever is true; without a model that of the server too. */
type ReadinessFault = OfModels & { readonly fault: 'readiness'; readonly ready: boolean };
/** ModelStatistics stays as it is. The metrics page tells the truth. */
type CountersFault = OfModels & { readonly fault: 'counters' };
/** To load a model takes this long, by command and as the server starts. */
type SlowLoadFault = OfModels & { readonly fault: 'slow_load'; readonly ms: number };

/** What the server says or does while the fault stands. */
export type StandingFault = ReadinessFault | CountersFault | SlowLoadFault;

/** What happens once, at once. */
export type Happening =
  /** The process ends as if killed and is there again after a time. */
  | { readonly fault: 'restart'; readonly down_ms: number }
  /** The process of a model is killed: its calls fail until it is loaded again. */
  | { readonly fault: 'crash'; readonly model: string }
  /** Every connection is reset. */
  | { readonly fault: 'reset' }
  /** Every client is told to go away (ENHANCE_YOUR_CALM). */
  | { readonly fault: 'go_away' };

export type Fault = CallFault | StandingFault;
