import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { ns } from './made-bag.js';
import { makeSqlite } from './made-sqlite.js';

/** Rows are counted in pieces of 100,000. */
it.each([99_999, 100_000, 100_001])('counts all of %i messages, and knows the first and the last', async (count) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-census-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const messages = Array.from({ length: count }, (_, index) => ({ topic: `/${index % 3}`, logMs: count - index, stampMs: 0 }));
  makeSqlite(path.join(folder, 'bag.db3'), messages);
  const bag = await Bag.open(path.join(folder, 'bag.db3'));
  onTestFinished(() => bag.close());
  expect(bag.span).toEqual({ startNs: ns(1), endNs: ns(count) });
  expect(bag.messageCount).toBe(count);
  let read = 0;
  for await (const { from, to } of bag.messages(() => true)) read += to - from;
  expect(read).toBe(count);
  expect(bag.problems.lines()).toEqual([]);
});
