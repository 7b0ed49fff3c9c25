/** How a parameter describes itself: what its type, range and default do not already say. */
import { z } from 'zod';

/** A value as a ROS 2 parameter holds it; a list has one type of element. */
type FieldValue = boolean | number | string | readonly string[] | readonly number[];

export interface About {
  /** What it does, one or two sentences for the reference table and the ROS descriptor. */
  readonly description: string;
  readonly unit?: 'ms' | 'us' | 'px' | 'bytes';
  /** What an accepted text looks like, where a pattern decides; completes "expected …". */
  readonly expects?: string;
  /** What holds when it is left out, where no fixed default says it. */
  readonly whenAbsent?: string;
  /** A plausible value for the commented example, where there is no default to show. */
  readonly sample?: FieldValue;
}

/** Attaches the description; call it last, on the schema with its default. */
export function field<S extends z.ZodType>(schema: S, about: About): S {
  return schema.meta({ ...about });
}

/** A finite number; YAML integers are widened. */
export function real(min: number, max: number): z.ZodNumber {
  return z.number().min(min).max(max);
}

export function whole(min: number, max: number): z.ZodInt {
  return z.int().min(min).max(max);
}

/** No duration of the configuration is longer: the core clock starts one hour ahead of zero. */
export const MAX_DURATION_MS = 3_600_000;

/** A duration in milliseconds that is not zero. One microsecond is the resolution of the core. */
export function duration(): z.ZodNumber {
  return real(0.001, MAX_DURATION_MS);
}

/** Names become tokens of ROS topic names and metric labels. */
const NAME_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;
export const NAME_RULE = 'a small letter, then small letters, digits or underscores, at most 64 (it becomes part of topic names)';

/** A group whose keys are names the user chooses. */
export function named<S extends z.ZodType>(value: S) {
  return z.record(z.string().regex(NAME_PATTERN), value);
}
