import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ReadinessLog } from '../../src/ros/readiness-log.js';
import type { BackendStatus } from '../../src/telemetry/status.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';

interface Bench {
  readonly readiness: ReadinessLog;
  readonly said: string[];
  /** Of each line, whether it is the answer to who activated the node. */
  readonly answers: boolean[];
  note(ready: boolean, backend?: Partial<BackendStatus>): void;
  advance(ms: number): void;
}

function bench(): Bench {
  const said: string[] = [];
  const answers: boolean[] = [];
  let nowMs = 0;
  const log = pino(
    { level: 'info' },
    {
      write: (line: string) => {
        const { msg, reason, asked } = JSON.parse(line);
        said.push([msg, reason].filter(Boolean).join(': '));
        answers.push(asked === true);
      },
    },
  );
  const readiness = new ReadinessLog(log, () => nowMs);
  return {
    readiness,
    said,
    answers,
    note: (ready, backend = {}) => readiness.note({ ready, streams: [], backends: [{ ...IDLE_BACKEND, ...backend }] }),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

it('says once that the node is ready', () => {
  const { said, note } = bench();
  for (let time = 0; time < 3; time += 1) note(true);
  expect(said).toEqual(['ready']);
});

it('says nothing of a short absence, and not twice that it is ready', () => {
  const { said, note, advance } = bench();
  note(true);
  note(false, { reachable: false });
  advance(1999);
  note(false, { reachable: false });
  note(true);
  expect(said).toEqual(['ready']);
});

it.each([
  [{ reachable: false, ready: false }, 'gpu is not reachable'],
  [{ ready: false }, 'gpu or one of its models is not ready'],
  [{ held: 2 }, 'all 2 slots of gpu are held by calls whose end nobody can prove'],
])('says why when it lasts: %j', (backend, reason) => {
  const { said, note, advance } = bench();
  note(false, backend);
  advance(2000);
  note(false, backend);
  note(false, backend);
  note(true);
  expect(said).toEqual([`not ready: ${reason}`, 'ready']);
});

it('begins anew when the node was not active in between', () => {
  const { readiness, said, note, advance } = bench();
  note(false);
  readiness.reset();
  advance(5000);
  note(false);
  expect(said).toEqual([]);
});

it('answers each activation with its first word', () => {
  const { readiness, said, answers, note, advance } = bench();
  for (let activation = 0; activation < 2; activation += 1) {
    note(true);
    note(false, { ready: false });
    advance(2000);
    note(false, { ready: false });
    readiness.reset();
  }
  expect(said.map((line) => line.split(':', 1)[0])).toEqual(['ready', 'not ready', 'ready', 'not ready']);
  expect(answers).toEqual([true, false, true, false]);
});
