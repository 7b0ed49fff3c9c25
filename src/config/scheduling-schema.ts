/** `scheduling`: how the next work is chosen. */
import { z } from 'zod';
import { DEFAULT_SCHEDULING } from '../core/configuration.js';
import { field } from './field.js';

export const schedulingSchema = z.strictObject({
  protect_supply: field(z.boolean().default(DEFAULT_SCHEDULING.protectSupply), {
    description:
      'Whether work also waits when it would let the last usable result of a guarded stream grow older than max_age, where waiting can avoid that.',
  }),
});
