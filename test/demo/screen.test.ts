import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ArmStatistics } from '../../src/demo/arm-statistics.js';
import { PLAIN } from '../../src/demo/paint.js';
import { LineScreen } from '../../src/demo/screen.js';

it('LineScreen says now and then how it goes, in each arm anew, without control characters', () => {
  const output = new PassThrough({ encoding: 'utf8' });
  const screen = new LineScreen(output, PLAIN);
  const statistics = new ArmStatistics(new Map([['front', 100]]));
  statistics.outcome({ stream: 'front', state: 'delivered', cause: 'delivered', endUs: 1, publishedUs: 1, ageUs: 30_000, serviceUs: 1 });
  screen.say('hello');
  for (const governor of [true, false]) {
    for (let pastSeconds = 0; pastSeconds < 12; pastSeconds += 0.25) screen.draw({ governor, seconds: 12, pastSeconds, statistics });
  }
  const lines = String(output.read()).trimEnd().split('\n');
  expect(lines[0]).toBe('hello');
  expect(lines.slice(1).map((line) => /^ {2}(\d+) of 12 s: front 1 received, 1 in time, age p95 30 ms;/.exec(line)?.[1])).toEqual([
    '5',
    '10',
    '5',
    '10',
  ]);
});
