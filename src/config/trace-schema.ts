/** `trace`: a record of every decision, to look into later (docs/trace.md). */
import { z } from 'zod';
import { field, whole } from './field.js';

export const traceSchema = z.strictObject({
  file: field(z.string().max(4096).default(''), {
    description:
      'File that every event and decision is written to, for vig trace (verify, explain, export); what a run before wrote is set aside at configure. Empty: none.',
    expects: 'the name of a file in a folder that exists, or "" for none',
  }),
  max_part_mb: field(whole(1, 4096).default(32), {
    description:
      'A part that has grown so many megabytes is set aside, compressed to about an eighth (FILE.1.gz, FILE.2.gz …), and a new one begun.',
  }),
  parts: field(whole(1, 1000).default(128), {
    description:
      'Parts that are kept, the newest and those of runs before included; once the first one of a run is gone it cannot be verified any more, only explained.',
  }),
});
