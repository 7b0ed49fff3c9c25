/** Reads a trace back, its parts in order. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { Refusal } from '../governor/ports.js';
import { actionSchema, refusalSchema } from './action-schema.js';
import { configurationSchema } from './configuration-schema.js';
import { eventSchema } from './event-schema.js';
import { linesOf } from './part-lines.js';
import { asPart, numbersOf, partThatIsThere } from './parts.js';
import { type SceneState, sceneSchema } from './scene-state.js';
import { TraceError } from './trace-error.js';
import { TRACE_VERSION } from './trace-writer.js';
import { count, us } from './units-schema.js';

export interface PartHead extends TraceHead {
  /** The number that the part that its run began with is set aside under. */
  readonly first: number;
}

export interface TraceHead {
  readonly configuration: CoreConfiguration;
  /** Of the first part that is there; 0: it begins where the core began. */
  readonly part: number;
  /** What stood at its beginning. */
  readonly scene: SceneState | undefined;
  /** Of the format. */
  readonly version: number;
  /** Where it stands. */
  readonly place: string;
}

/** What the core was told, and what it decided. */
export interface Decided {
  readonly at: Micros;
  readonly event: CoreEvent;
  readonly actions: readonly Action[];
}

/** A message that the core never heard of. */
export interface Refused {
  readonly at: Micros;
  readonly refused: Refusal;
}

/** What one line tells. */
export type Entry = Decided | Refused;

export interface TracedEvent extends Decided {
  /** The actions as they were written. */
  readonly written: string;
  /** Where it stands. */
  readonly place: string;
}

/** Of some hundred streams. */
const LONGEST_HEAD_BYTES = 1_000_000;

const headSchema = z.strictObject({
  vig_trace: z.int().min(1).max(TRACE_VERSION),
  part: count,
  first: z.exactOptional(count),
  scene: z.exactOptional(sceneSchema),
  configuration: configurationSchema,
});
const versionSchema = z.looseObject({ vig_trace: z.number() });
const writtenSchema = z.looseObject({ actions: z.array(z.unknown()).default([]) });
const lineSchema = z.strictObject({ at: us, event: eventSchema, actions: z.array(actionSchema).default([]) });
const refusedSchema: z.ZodType<Refused> = z.strictObject({ at: us, refused: refusalSchema });

/**
 * The parts of one run up to this one, oldest first; each is looked for when the one before was read, since a node may set another one aside
 * meanwhile. @throws {TraceError} unreadable or malformed.
 */
async function* partsOf(file: string): AsyncGenerator<string> {
  const newest = newestOf(file);
  const { part, first } = await headIn(newest);
  if (part > 0) yield* partsBefore(newest, first, first + part);
  yield newest;
}

/** @param first of the run. @param number that it has or will have. */
function* partsBefore(newest: string, first: number, number: number): Generator<string> {
  const { base, until } = placeOf(newest, number);
  const oldest = numbersOf(base).find((one) => one >= first) ?? until;
  for (let next = oldest; next < until; next += 1) {
    const part = partThatIsThere(base, next);
    if (part === undefined) return;
    yield part;
  }
}

/** A node that was killed between two parts has not begun the next one; and a part that was named may be compressed by now. */
function newestOf(file: string): string {
  if (existsSync(file) && statSync(file).size > 0 && !isCutHead(file)) return file;
  const { file: base, number } = asPart(file) ?? { file, number: numbersOf(file).at(-1) ?? 0 };
  return partThatIsThere(base, number) ?? file;
}

/** Whether the first line was cut off, so that there is none. */
function isCutHead(file: string): boolean {
  if (statSync(file).size > LONGEST_HEAD_BYTES) return false;
  const text = readFileSync(file, 'utf8');
  return !text.includes('\n') && !isJson(text);
}

/** Whether it is the newest part of a trace, or the last of a run that was set aside, which only its name tells. */
function placeOf(file: string, number: number): { readonly base: string; readonly until: number } {
  const named = asPart(file);
  if (named?.number === number && numbersOf(file).length === 0) return { base: named.file, until: number };
  return { base: file, until: Number.POSITIVE_INFINITY };
}

/** @throws {TraceError} unreadable or malformed. */
export async function readHead(file: string): Promise<TraceHead> {
  for await (const part of partsOf(file)) return headIn(part);
  throw new TraceError('unreadable', `${file}: there is no such file`);
}

async function headIn(file: string): Promise<PartHead> {
  for await (const { text, place } of linesOf(file)) return headOf(text, place);
  throw new TraceError('malformed', `${file}: the file is empty`);
}

/** Told now and then how many bytes of the files are read, of how many there were at the beginning. */
export type ReadProgress = (bytes: number, of: number) => void;

/** Every event of the core in order. @throws {TraceError} unreadable or malformed. */
export async function* readEvents(file: string, progress?: ReadProgress): AsyncGenerator<TracedEvent> {
  for await (const entry of readEntries(file, progress)) if ('event' in entry) yield entry;
}

/**
 * All that is told, in order. A last line that was cut off, as when a node is killed, is left out.
 * @throws {TraceError} unreadable or malformed.
 */
export async function* readEntries(file: string, progress: ReadProgress = () => {}): AsyncGenerator<TracedEvent | Refused> {
  const total = await bytesOf(file);
  let before = 0;
  let next: number | undefined;
  for await (const part of partsOf(file)) {
    let isHead = true;
    let bytes = 0;
    const read = (now: number): void => {
      bytes = now;
      progress(before + bytes, total);
    };
    for await (const { text, place, isOpen } of linesOf(part, read)) {
      if (isHead) {
        const head = headOf(text, place);
        if (next !== undefined && head.part !== next)
          throw new TraceError('malformed', `${place}: part ${head.part} follows part ${next - 1}; a part is missing, or of another run`);
        next = head.part + 1;
        isHead = false;
      } else if (!isOpen || isJson(text)) {
        yield entryOf(parseJson(text, place), place);
      }
    }
    before += bytes;
  }
}

async function bytesOf(file: string): Promise<number> {
  let bytes = 0;
  for await (const part of partsOf(file)) bytes += statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

function entryOf(value: unknown, place: string): TracedEvent | Refused {
  if (typeof value === 'object' && value !== null && 'refused' in value) return check(refusedSchema, value, place);
  return { ...check(lineSchema, value, place), written: JSON.stringify(check(writtenSchema, value, place).actions), place };
}

function headOf(text: string, place: string): PartHead {
  const value = parseJson(text, place);
  const version = versionSchema.safeParse(value).data?.vig_trace;
  if (version !== undefined && version > TRACE_VERSION)
    throw new TraceError(
      'malformed',
      `${place}: a trace of version ${version}; this vig reads versions up to ${TRACE_VERSION}. Use the vig that wrote it, or a newer one`,
    );
  const { vig_trace, part, first = 1, scene, configuration } = check(headSchema, value, place);
  return { version: vig_trace, part, first, scene, configuration, place };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
