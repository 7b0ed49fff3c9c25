import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAUSES } from '../../src/core/catalogue.js';
import { reasonsDocument } from '../../src/documents/reasons.js';

test('docs/reasons.md is up to date (npm run docs)', () => {
  expect(readFileSync('docs/reasons.md', 'utf8')).toBe(reasonsDocument());
});

test('the document has one row for every cause and no other', () => {
  const rows = [...reasonsDocument().matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, cause, number]) => [cause, Number(number)]);
  expect(rows).toEqual(Object.entries(CAUSES).map(([cause, { number }]) => [cause, number]));
});
