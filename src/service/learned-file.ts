/** What was learned of runtimes, in a file from one run to the next. */
import { readFileSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { LearnedVariant } from '../core/learned.js';
import { writeWholeNow } from '../files/unfinished.js';

const VERSION = 1;
/** Far above what the largest configuration writes. */
const MAX_BYTES = 16 * 1024 * 1024;

const count = (highest: number) => z.int().min(0).max(highest);
const fileSchema = z.strictObject({
  version: z.literal(VERSION),
  variants: z.array(
    z.strictObject({
      backend: z.string(),
      model: z.string(),
      variant: z.string(),
      fingerprint: z.string(),
      occupancies: z
        .array(
          z.strictObject({
            occupancy: count(256),
            marginPercent: z.number().min(100).max(1000),
            runtimesUs: z.array(count(3_600_000_000)).max(64),
          }),
        )
        .max(257),
    }),
  ),
});

export class LearnedFile {
  readonly #path: string;
  readonly #log: Logger;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Nothing when there is none yet, or, with a warning, when it cannot be used. Never throws. */
  read(): readonly LearnedVariant[] {
    try {
      const { size } = statSync(this.#path);
      if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; no state is longer than ${MAX_BYTES}`);
      return fileSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8'))).variants;
    } catch (error) {
      if (!isMissing(error)) this.#warn('cannot be read; learning starts anew', error);
      return [];
    }
  }

  /** In one piece: a reader finds the old state or the new one. Never throws. */
  write(variants: readonly LearnedVariant[]): void {
    try {
      writeWholeNow(this.#path, `${JSON.stringify({ version: VERSION, variants })}\n`);
    } catch (error) {
      this.#warn('cannot be written; what was learned is lost at the end', error);
    }
  }

  #warn(what: string, error: unknown): void {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error);
    this.#log.warn({ file: this.#path, reason }, `learning.state_file ${what}`);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
