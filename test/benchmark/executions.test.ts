import { expect, test } from 'vitest';
import { mostAtOnce, readExecutions } from '../../benchmark/chaos/live/executions.js';

const line = (monotonic_us: number, event: string, id: string, pid = 1): string =>
  JSON.stringify({ monotonic_us, event, model: 'm', id, pid });
const text = (...lines: string[]): string => lines.map((one) => `${one}\n`).join('');

test('executions that overlap are counted, those that follow each other are not', () => {
  const log = text(
    line(10, 'begin', 'a'),
    line(20, 'begin', 'b'),
    line(30, 'end', 'a'),
    line(30, 'begin', 'c'),
    line(40, 'end', 'b'),
    line(50, 'end', 'c'),
  );
  const executions = readExecutions(log, []);
  expect(executions).toHaveLength(3);
  expect(mostAtOnce(executions)).toBe(2);
});

test('what has no name holds no credit', () => {
  expect(mostAtOnce(readExecutions(text(line(10, 'begin', ''), line(20, 'begin', 'b')), []))).toBe(1);
});

test('an execution ends with its process, and with no other', () => {
  const log = text(line(10, 'begin', 'a', 1), line(20, 'begin', 'b', 2), line(40, 'begin', 'c', 3));
  const endOf = (deaths: { atUs: number; pid?: number }[]) => readExecutions(log, deaths).map(({ endUs }) => endUs);
  expect(endOf([{ atUs: 30, pid: 2 }])).toEqual([Number.POSITIVE_INFINITY, 30, Number.POSITIVE_INFINITY]);
  expect(endOf([{ atUs: 30 }])).toEqual([30, 30, Number.POSITIVE_INFINITY]);
  expect(endOf([{ atUs: 5 }])).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test('a line that is being written is left out', () => {
  expect(readExecutions(`${text(line(10, 'begin', 'a'), line(20, 'end', 'a'))}{"monotonic_us":3`, [])).toEqual([
    { id: 'a', beginUs: 10, endUs: 20 },
  ]);
});
