/** `scheduling`: how the next work is chosen. */
import { z } from 'zod';
import { DEFAULT_SCHEDULING, SCHEDULING_POLICIES } from '../core/configuration.js';
import { field } from './field.js';

export const schedulingSchema = z.strictObject({
  policy: field(z.enum(SCHEDULING_POLICIES).default('planned'), {
    description:
      'How the next work is chosen of what may start: ordered: by class and deadline; planned: by what its result is worth to its consumer, where waiting for a better moment is a choice, too.',
  }),
  strict_classes: field(z.boolean().default(false), {
    description:
      'Under planned: whether guarded work also waits when it could make a guarded frame of a higher class late, whatever it is worth.',
  }),
  protect_supply: field(z.boolean().default(DEFAULT_SCHEDULING.protectSupply), {
    description:
      'Whether work also waits when it would let the last usable result of a guarded stream grow older than max_age, where waiting can avoid that.',
  }),
});
