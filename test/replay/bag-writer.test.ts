import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McapStreamReader } from '@mcap/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BagWriter } from '../../src/replay/output/bag-writer.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-bag-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the records `rosbag2` of a file hold. */
function informationIn(file: string): unknown[] {
  const reader = new McapStreamReader();
  reader.append(readFileSync(file));
  const found: unknown[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord())
    if (record.type === 'Metadata' && record.name === 'rosbag2') found.push(parse(record.metadata.get('serialized_metadata') ?? ''));
  return found;
}

it('says in the file what it says beside it, without the outer key, as rosbag2 reads it', async () => {
  const bag = path.join(folder, 'bag');
  const writer = await BagWriter.create(bag);
  const write = await writer.addTopic('/stamps', 'builtin_interfaces/msg/Time', 3);
  for (const sec of [7, 9]) write({ sec, nanosec: 0 }, BigInt(sec) * 1_000_000_000n);
  await writer.close();
  const [inside, ...others] = informationIn(path.join(bag, 'replay_0.mcap'));
  expect(inside).toMatchObject({ version: 5, storage_identifier: 'mcap', message_count: 2, duration: { nanoseconds: 2e9 } });
  expect(others).toEqual([]);
  expect(parse(readFileSync(path.join(bag, 'metadata.yaml'), 'utf8'))).toEqual({ rosbag2_bagfile_information: inside });
});
