import { expect, test } from 'vitest';
import { addresses, expandName } from '../../src/config/node-name.js';

const ROOT = { name: 'governor', namespace: '/' };
const DEEP = { name: 'governor', namespace: '/robot/gpu' };

test.each([
  ['governor', true, false],
  ['/governor', true, false],
  ['/robot/gpu/governor', false, true],
  ['robot/gpu/governor', false, true],
  ['/**', true, true],
  ['**', true, true],
  ['/*', true, false],
  ['/*/*/governor', false, true],
  ['/*/governor', false, false],
  ['/**/governor', true, true],
  ['/robot/**', false, true],
  ['/robot/*', false, false],
  ['/**/gpu/*', false, true],
  ['/**/**/**/governor', true, true],
  ['/gov*', false, false],
  ['/Governor', false, false],
  ['', false, false],
])('%s addresses /governor: %s, /robot/gpu/governor: %s', (pattern, root, deep) => {
  expect([addresses(pattern, ROOT), addresses(pattern, DEEP)]).toEqual([root, deep]);
});

test('a hostile pattern costs no more than its length', () => {
  expect(addresses(`${'/**'.repeat(2000)}/x`, { name: 'governor', namespace: '/a'.repeat(100) })).toBe(false);
});

test.each([
  ['/a', '/a', '/a'],
  ['a', '/a', '/robot/gpu/a'],
  ['~/a', '/governor/a', '/robot/gpu/governor/a'],
])('%s is %s, or %s in a namespace', (name, root, deep) => {
  expect([expandName(name, ROOT), expandName(name, DEEP)]).toEqual([root, deep]);
});
