/** Small bags of chosen messages. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McapWriter } from '@mcap/core';
import { type ReplayContract, readContract } from '../../src/replay/contract-file.js';
import { type Replayed, runReplay } from '../../src/replay/run-replay.js';

const START_NS = 1_700_000_000_000_000_000n;
const NS_PER_MS = 1_000_000;

export interface MadeMessage {
  readonly topic: string;
  /** From the start. */
  readonly logMs: number;
  readonly stampMs: number;
  /** In place of a header. */
  readonly data?: Uint8Array;
  /** Of its channel, where they are not those of the bag: '' has no schema. */
  readonly type?: string;
  readonly encoding?: string;
}

export function headerBytes(stampNs: bigint, frameId: string): Uint8Array {
  const name = Buffer.from(`${frameId}\0`);
  const bytes = Buffer.alloc(16 + name.byteLength);
  bytes.writeUInt8(1, 1);
  bytes.writeInt32LE(Number(stampNs / 1_000_000_000n), 4);
  bytes.writeUInt32LE(Number(stampNs % 1_000_000_000n), 8);
  bytes.writeUInt32LE(name.byteLength, 12);
  name.copy(bytes, 16);
  return bytes;
}

export function ns(ms: number): bigint {
  return START_NS + BigInt(Math.round(ms * NS_PER_MS));
}

/** Images of which only the header is there; the first message is the start of the bag. */
export async function madeBag(
  messages: readonly MadeMessage[],
  type = 'sensor_msgs/msg/Image',
  messageEncoding = 'cdr',
  chunkSize = 1 << 20,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let position = 0;
  const write = async (bytes: Uint8Array) => {
    parts.push(bytes.slice());
    position += bytes.byteLength;
  };
  const writer = new McapWriter({ writable: { position: () => BigInt(position), write }, chunkSize });
  await writer.start({ profile: 'ros2', library: 'test' });
  const ids = new Map<string, number>();
  /** Of a schema or a channel that is registered once. */
  const idOf = async (key: string, register: () => Promise<number>) => {
    const id = ids.get(key) ?? (await register());
    ids.set(key, id);
    return id;
  };
  for (const message of messages) {
    const { topic, logMs, stampMs, data = headerBytes(ns(stampMs), 'cam'), type: name = type, encoding = messageEncoding } = message;
    const schema = { name, encoding: 'ros2msg', data: new Uint8Array(0) };
    const schemaId = name === '' ? 0 : await idOf(name, () => writer.registerSchema(schema));
    const channel = { schemaId, topic, messageEncoding: encoding, metadata: new Map() };
    const channelId = await idOf(`${topic} ${name} ${encoding}`, () => writer.registerChannel(channel));
    await writer.addMessage({ channelId, sequence: 0, logTime: ns(logMs), publishTime: ns(stampMs), data });
  }
  await writer.end();
  return Buffer.concat(parts);
}

/** @param parameters below ros__parameters, as YAML in one line a group */
export function contractFrom(parameters: string, simulated: boolean): ReplayContract {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-contract-'));
  try {
    writeFileSync(path.join(folder, 'p.yaml'), `governor:\n  ros__parameters:\n${parameters.replace(/^/gm, '    ')}\n`);
    return readContract([path.join(folder, 'p.yaml')], simulated);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param parameters as for `contractFrom` */
export async function replayed(bag: Uint8Array, parameters: string, ...compare: readonly string[]): Promise<Replayed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-replayed-'));
  try {
    const file = path.join(folder, 'bag.mcap');
    writeFileSync(file, bag);
    return await runReplay({
      bag: file,
      contract: contractFrom(parameters, true),
      compare: compare.map((other) => contractFrom(other, true)),
      seed: 1,
      timelines: true,
      progress: () => {},
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
