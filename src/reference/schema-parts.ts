/** Parts of the schemas for model files and for commands, each with its error in our words. */
import { z } from 'zod';

const MAX_MS = 600_000;

export function whole(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
}

export function milliseconds(min: number) {
  const error = `expected a number from ${min} to ${MAX_MS} (ms)`;
  return z.number(error).min(min, error).max(MAX_MS, error);
}

const MODEL_NAME = 'expected a name of letters, digits, _, - and ., at most 128';

export function modelName() {
  return z.string(MODEL_NAME).regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, MODEL_NAME);
}
