/** Reads a trace back, its parts in order. */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import { actionSchema } from './action-schema.js';
import { configurationSchema } from './configuration-schema.js';
import { eventSchema } from './event-schema.js';
import { TraceError } from './trace-error.js';
import { TRACE_VERSION } from './trace-writer.js';
import { count, us } from './units-schema.js';

export interface TraceHead {
  readonly configuration: CoreConfiguration;
  /** Of the first part that is there; 0: it begins where the core began. */
  readonly part: number;
}

/** What the core was told, and what it decided. */
export interface Decided {
  readonly at: Micros;
  readonly event: CoreEvent;
  readonly actions: readonly Action[];
}

export interface TracedEvent extends Decided {
  /** The actions as they were written. */
  readonly written: string;
  /** Where it stands. */
  readonly place: string;
}

const headSchema = z.strictObject({ vig_trace: z.literal(TRACE_VERSION), part: count, configuration: configurationSchema });
const writtenSchema = z.looseObject({ actions: z.array(z.unknown()).default([]) });
const lineSchema = z.strictObject({ at: us, event: eventSchema, actions: z.array(actionSchema).default([]) });

/** Parts of a trace, oldest first. @throws {TraceError} unreadable. */
function partsOf(file: string): readonly string[] {
  if (!existsSync(file)) throw new TraceError('unreadable', `${file}: there is no such file`);
  const parts = [file];
  for (let part = 1; existsSync(`${file}.${part}`); part += 1) parts.unshift(`${file}.${part}`);
  return parts;
}

/** @throws {TraceError} unreadable or malformed. */
export async function readHead(file: string): Promise<TraceHead> {
  const [first] = partsOf(file);
  for await (const { text, place } of linesOf(first as string)) return headOf(text, place);
  throw new TraceError('malformed', `${first}: the file is empty`);
}

/**
 * Every event in order. A last line that was cut off, as when a node is killed, is left out.
 * @throws {TraceError} unreadable or malformed.
 */
export async function* readEvents(file: string): AsyncGenerator<TracedEvent> {
  let next: number | undefined;
  for (const part of partsOf(file)) {
    let isHead = true;
    for await (const { text, place, isLast } of linesOf(part)) {
      if (isHead) {
        const head = headOf(text, place);
        if (next !== undefined && head.part !== next)
          throw new TraceError('malformed', `${place}: part ${head.part} follows part ${next - 1}; a part is missing, or of another run`);
        next = head.part + 1;
        isHead = false;
      } else if (!isLast || text.endsWith('}')) {
        const value = parseJson(text, place);
        yield { ...check(lineSchema, value, place), written: JSON.stringify(check(writtenSchema, value, place).actions), place };
      }
    }
  }
}

interface Line {
  readonly text: string;
  readonly place: string;
  readonly isLast: boolean;
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  let before: string | undefined;
  let number = 0;
  for await (const text of lines) {
    if (before !== undefined) yield { text: before, place: `${file}:${number}`, isLast: false };
    before = text;
    number += 1;
  }
  if (before !== undefined) yield { text: before, place: `${file}:${number}`, isLast: true };
}

function headOf(text: string, place: string): TraceHead {
  const { configuration, part } = check(headSchema, parseJson(text, place), place);
  return { configuration, part };
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TraceError('malformed', `${place}: this line is not JSON; is it a trace that vig wrote?`, { cause: error });
  }
}

function check<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TraceError('malformed', `${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as vig writes it'}`);
}
