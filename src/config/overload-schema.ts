/** `overload`: when a backend that does not serve its guarded streams in time cuts back, and when it stops doing so. */
import { z } from 'zod';
import { DEFAULT_OVERLOAD } from '../core/configuration.js';
import { field, MAX_DURATION_MS, real, whole } from './field.js';

const LEVELS = 4;

const thresholds = (values: readonly number[], description: string) =>
  field(
    z
      .array(whole(0, 1000))
      .length(LEVELS)
      .default([...values]),
    {
      description,
      expects: `${LEVELS} whole numbers from 0 to 1000, one for each of the levels 1 to ${LEVELS}`,
    },
  );

export const overloadSchema = z.strictObject({
  enabled: field(z.boolean().default(true), {
    description:
      'Whether a backend cuts back when guarded requests are not served in time. Levels: 1 sweeps the queues by the predicted start, 2 takes the fastest variant, 3 refuses best effort, 4 admits guarded streams only.',
  }),
  enter_permille: thresholds(
    DEFAULT_OVERLOAD.enterPermille,
    'Share of guarded requests of the last second that were violated (per mille) from which a level is entered; strictly rising.',
  ),
  leave_permille: thresholds(DEFAULT_OVERLOAD.leavePermille, 'Share at or below which a level is left; below the one of entering.'),
  dwell_ms: field(real(0, MAX_DURATION_MS).default(DEFAULT_OVERLOAD.dwellUs / 1000), {
    description: 'Time between two steps at least; a step is one level.',
    unit: 'ms',
  }),
  min_violations: field(whole(1, 1_000_000).default(DEFAULT_OVERLOAD.minViolations), {
    description: 'No step up on fewer violations in the last second.',
  }),
});
