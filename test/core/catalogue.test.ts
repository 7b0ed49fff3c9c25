import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAUSES, STATES } from '../../src/core/catalogue.js';

const message = readFileSync(new URL('../../msg/Outcome.msg', import.meta.url), 'utf8');

function constants(prefix: string): Record<string, number> {
  const lines = message.matchAll(new RegExp(`^uint8 ${prefix}_([A-Z_]+)=(\\d+)`, 'gm'));
  return Object.fromEntries([...lines].map((match) => [match[1]?.toLowerCase() ?? '', Number(match[2])]));
}

test('states and causes of the message are those of the catalogue, none more, none less', () => {
  expect(constants('STATE')).toEqual({ ...STATES });
  expect(constants('CAUSE')).toEqual(Object.fromEntries(Object.entries(CAUSES).map(([cause, { number }]) => [cause, number])));
});

test('no number is used twice', () => {
  const numbers = Object.values(CAUSES).map((cause) => cause.number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(Object.values(STATES)).size).toBe(Object.keys(STATES).length);
});

test('a cause is numbered in the decade of its state, and fits the message field', () => {
  for (const [cause, { number, state }] of Object.entries(CAUSES))
    expect(`${cause} ${Math.floor(number / 10)}`).toBe(`${cause} ${STATES[state]}`);
  expect(Math.max(...Object.values(CAUSES).map((cause) => cause.number))).toBeLessThan(256);
});

test('every cause says what happened and what to do about it', () => {
  for (const { meaning, remedy } of Object.values(CAUSES)) {
    expect(meaning).toMatch(/^\S.+\.$/);
    expect(remedy).toMatch(/^\S.+\.$/);
  }
});
