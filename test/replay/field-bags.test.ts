/**
 * Bags that were recorded elsewhere, from the folder that VIG_FIELD_BAGS names. What is in them nobody here knows: they must be read, or
 * refused in words, and nothing may be left behind. The result stands in the name of the test, also where there is no folder.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { BagError } from '../../src/replay/bag/problem.js';

const folder = process.env['VIG_FIELD_BAGS'] ?? '';

async function read(name: string): Promise<string> {
  let bag: Bag;
  try {
    bag = await Bag.open(name);
  } catch (error) {
    if (!(error instanceof BagError)) throw error;
    return `refused: ${error.message}`;
  }
  const topics = new Set<string>();
  let messages = 0;
  let lastNs = Number.NEGATIVE_INFINITY;
  for await (const { block, from, to } of bag.messages(() => true)) {
    for (let index = from; index < to; index += 1) {
      messages += 1;
      topics.add(block.channel(index).topic);
      expect(block.sinceStartNs(index)).toBeGreaterThanOrEqual(lastNs);
      lastNs = block.sinceStartNs(index);
    }
  }
  const problems = bag.problems.lines();
  if (problems.length === 0 && bag.messageCount !== undefined) expect(messages).toBe(bag.messageCount);
  await bag.close();
  return `${messages} messages on ${topics.size} topics${problems.length === 0 ? '' : `, ${problems.length} problems: ${problems[0]}`}`;
}

function bagsIn(place: string): string[] {
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(place, name));
}

describe('bags from the field', async () => {
  if (folder === '') {
    it('VIG_FIELD_BAGS names no folder: none were read', () => expect(folder).toBe(''));
    return;
  }
  const found = bagsIn(folder);
  it(`VIG_FIELD_BAGS has ${found.length} bags`, () => expect(found).not.toEqual([]));
  for (const bag of found) {
    const result = await read(bag);
    it(`${path.basename(bag)}: ${result}`, () => expect(result).toMatch(/^\d+ messages on \d+ topics|^refused: .+: .+/));
  }
});
