/** One arm: a node between a camera and somebody who uses its results, each in a process of its own. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ChildOwner } from '../src/demo/child-process.js';
import type { BenchContext } from './context.js';
import type { ImageSize } from './models.js';

export const IMAGE_TOPIC = '/bench/image';

export interface Arm {
  /** The node between; it writes what it has to say when it is told to end. */
  readonly node: ArmNode;
  readonly resultTopic: string;
  readonly image: ImageSize;
  readonly rateHz: number;
}

export interface ArmNode {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** A line it writes when results can be expected. */
  readonly ready: RegExp;
}

const resultRow = z.object({
  stamp_us: z.int(),
  arrival_us: z.int(),
  age_us: z.int(),
  waiting_us: z.int(),
  obsolete: z.boolean(),
  /** INT64 outputs, as microseconds. */
  times_us: z.array(z.number()),
});
export type ResultRow = z.output<typeof resultRow>;

/** A frame's way through a node: from the entry of the callback to the hand-over to gRPC, the call, from its answer to the publish. */
const stampRow = z.object({
  stamp_us: z.int(),
  dispatch_ms: z.number(),
  call_ms: z.number(),
  publish_ms: z.number(),
  /** Processor time of the node up to then. */
  cpu_ms: z.number(),
});
export type StampRow = z.output<typeof stampRow>;

export interface Recording {
  /** Stamps of the images that count. */
  readonly frames: readonly number[];
  /** Of these. */
  readonly results: readonly ResultRow[];
}

/** Until the middleware, the regions and the branches of the processor have settled. */
const SETTLE_MS = 1500;
/** For the last results to arrive. */
const REST_MS = 300;
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/** @throws {DemoError} when a process does not start or ends by itself. */
export async function record(arm: Arm, { seconds, folder, abort }: BenchContext): Promise<Recording> {
  const files = { frames: path.join(folder, 'frames.json'), results: path.join(folder, 'results.json') };
  const { width, height } = arm.image;
  const camera = [IMAGE_TOPIC, `${width}`, `${height}`, `${arm.rateHz}`, files.frames];
  const { ready, ...node } = arm.node;
  const children = [
    { child: new ChildOwner({ ...node, stopTimeoutMs: STOP_TIMEOUT_MS }), ready },
    { child: python('watch.py', [arm.resultTopic, files.results]), ready: /^ready$/ },
    { child: python('camera.py', camera), ready: /^ready$/ },
  ];
  let window: readonly [number, number];
  try {
    await Promise.all(children.map((one) => one.child.untilLine(one.ready, READY_TIMEOUT_MS, abort)));
    await sleep(SETTLE_MS, undefined, { signal: abort });
    const fromUs = Date.now() * 1000;
    await sleep(seconds * 1000, undefined, { signal: abort });
    window = [fromUs, Date.now() * 1000];
    await sleep(REST_MS, undefined, { signal: abort });
    for (const { child } of children) child.mustRun();
  } finally {
    for (const { child } of children.toReversed()) await child.stop();
  }
  return cut(readJson(files.frames, z.array(z.int())), readJson(files.results, z.array(resultRow)), window);
}

/** The ways of these frames that a node wrote down. */
export function stampRows(file: string, { frames }: Recording): readonly StampRow[] {
  const counted = new Set(frames);
  return readJson(file, z.array(stampRow)).filter((row) => counted.has(row.stamp_us));
}

export function pythonFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function cut(stamps: readonly number[], rows: readonly ResultRow[], [fromUs, toUs]: readonly [number, number]): Recording {
  const frames = stamps.filter((stamp) => stamp >= fromUs && stamp < toUs);
  const counted = new Set(frames);
  return { frames, results: rows.filter((row) => counted.has(row.stamp_us)) };
}

function python(file: string, arguments_: readonly string[]): ChildOwner {
  return new ChildOwner({ name: file, command: 'python3', arguments: [pythonFile(file), ...arguments_], stopTimeoutMs: STOP_TIMEOUT_MS });
}

function readJson<S extends z.ZodType>(file: string, schema: S): z.output<S> {
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
