/** The bags that set-up makes with other people's tools (setup/bags/make.py), and what is in them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const made = fileURLToPath(new URL('../../.vig/bags', import.meta.url));

/** rosbags and mcap are installed for it. */
export const python = path.join(made, 'venv/bin/python');

export function foreignBag(name: string): string {
  return path.join(made, 'foreign', name);
}

const messageSchema = z.tuple([z.string(), z.string(), z.number(), z.number(), z.string()]);
const truthSchema = z.object({
  messages: z.array(messageSchema),
  bags: z.record(
    z.string(),
    z.object({
      /** Places in `messages`. */
      kept: z.array(z.number()),
      /** Patterns of what has to be said of it. */
      problems: z.array(z.string()),
      refused: z.string().nullable(),
      /** Nobody can say which messages are left, but some are. */
      some: z.boolean(),
    }),
  ),
  'big-endian.mcap': z.array(messageSchema),
  'zero-stamps.mcap': z.array(messageSchema),
});

/** Topic, log time in nanoseconds, seconds and nanoseconds of the stamp, frame id; in order of log time. */
export type TrueMessage = z.output<typeof messageSchema>;

export const truth = truthSchema.parse(JSON.parse(readFileSync(foreignBag('truth.json'), 'utf8')));
