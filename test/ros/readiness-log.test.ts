import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ReadinessLog } from '../../src/ros/readiness-log.js';
import type { BackendStatus } from '../../src/telemetry/status.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';

interface Bench {
  readonly readiness: ReadinessLog;
  readonly said: string[];
  note(ready: boolean, backend?: Partial<BackendStatus>): void;
  advance(ms: number): void;
}

function bench(): Bench {
  const said: string[] = [];
  let nowMs = 0;
  const log = pino(
    { level: 'info' },
    { write: (line: string) => said.push([JSON.parse(line).msg, JSON.parse(line).reason].filter(Boolean).join(': ')) },
  );
  const readiness = new ReadinessLog(log, () => nowMs);
  return {
    readiness,
    said,
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
