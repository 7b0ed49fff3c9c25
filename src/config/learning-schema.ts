/** `learning`: how promises follow from measured runtimes. */
import { z } from 'zod';
import { DEFAULT_LEARNING } from '../core/configuration.js';
import { field, real } from './field.js';

const MAX_MARGIN_PERCENT = 1000;

export const learningSchema = z.strictObject({
  margin_percent: field(real(100, MAX_MARGIN_PERCENT).default(DEFAULT_LEARNING.marginPercent), {
    description: 'Planned runtime in per cent of the measured one (99th percentile); 40 more while a profile is unverified.',
  }),
  adapt: field(z.boolean().default(DEFAULT_LEARNING.adapt), {
    description: 'Whether the margin grows with runs that outlast the plan, and shrinks back to margin_percent without them.',
  }),
  ceiling_percent: field(real(100, MAX_MARGIN_PERCENT).default(DEFAULT_LEARNING.ceilingPercent), {
    description: 'The margin never exceeds this.',
  }),
  state_file: field(z.string().max(4096).default(''), {
    description:
      'File that keeps what was learned of runtimes from one run to the next: read at configure, written at deactivate and cleanup. Runtimes of another model, version or profile are let go. Empty: nothing is kept.',
    expects: 'the name of a file in a folder that exists, or "" for none',
  }),
});
