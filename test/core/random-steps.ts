/** Random sequences of events, before it is known what they are about. */
import fc from 'fast-check';
import type { CallResult } from '../../src/core/events.js';

/** A step names its object by a number, which is taken modulo what there is: every sequence means something, and shrinks. */
export interface Step {
  readonly kind: StepKind;
  readonly afterUs: number;
  readonly pick: number;
  readonly ageUs: number;
  readonly end: CallResult;
}

export type StepKind = (typeof RARE)[number] | 'arrive' | 'complete' | 'wake' | 'resume' | 'drain' | 'drain_limit' | 'pause';

/** refused: something that must not be taken, and must change nothing. */
const RARE = [
  'timeout',
  'ready',
  'cancel',
  'round_trip',
  'tick',
  'reconfigure',
  'reconfigure',
  'clock_jump',
  'restore',
  'counter',
  'counter',
  'witness',
  'warm_up',
  'refused',
] as const;

const END: fc.Arbitrary<CallResult> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ result: 'ok' } as const) },
  { weight: 1, arbitrary: fc.constantFrom('not_counted', 'not_started', 'unknown').map((result) => ({ result })) },
  { weight: 1, arbitrary: fc.constant({ result: 'unknown', witnessed: true } as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('model_error', 'bad_output', 'response_too_large').map((cause) => ({ result: 'failed' as const, cause })),
  },
);

const KIND = fc.oneof(
  { weight: 10, arbitrary: fc.constant('arrive' as const) },
  { weight: 8, arbitrary: fc.constant('complete' as const) },
  { weight: 3, arbitrary: fc.constant('wake' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...RARE) },
  { weight: 2, arbitrary: fc.constant('resume' as const) },
);
/** Ends serving for a while: rare, or nothing else is seen. */
const STOP = fc.constantFrom('drain', 'drain_limit');

export const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.oneof({ weight: 80, arbitrary: KIND }, { weight: 1, arbitrary: STOP }),
    afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 })),
    pick: fc.nat(1000),
    ageUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })),
    end: END,
  }),
  { minLength: 1, maxLength: 250, size: 'max' },
);
