import { expect, test } from 'vitest';
import { explore } from '../../benchmark/chaos/simulated/explore.js';
import { drawSchedule } from '../../benchmark/chaos/simulated/plan.js';
import { exploredText, failureText } from '../../benchmark/chaos/simulated/report.js';
import { runSchedule, soundCore } from '../../benchmark/chaos/simulated/world.js';
import type { Action } from '../../src/core/actions.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import type { Micros } from '../../src/core/units.js';

const SCHEDULES = 240;
const seed = 1;

test('whatever fails in whatever order, no credit is back while its call runs, and what can be known is known', () => {
  const { sites, failure } = explore({ seed, schedules: SCHEDULES });
  expect(failure === undefined ? '' : failureText(failure)).toBe('');
  for (const { schedules, restarts, delivered, reconciled } of Object.values(sites)) {
    expect(schedules).toBeGreaterThan(SCHEDULES / 8);
    for (const count of [restarts, delivered, reconciled]) expect(count).toBeGreaterThan(0);
  }
  expect(sites.plain.withHeld).toBe(0);
});

test('a schedule follows from its seed', () => {
  const told = (): string[] => {
    const lines: string[] = [];
    runSchedule(drawSchedule(7), soundCore, (line) => lines.push(line));
    return lines;
  };
  expect(told()).toEqual(told());
  expect(told().length).toBeGreaterThan(100);
});

/** Takes what returned without an answer for ended. */
class Credulous extends DecisionCore {
  override handle(event: CoreEvent, now: Micros): readonly Action[] {
    const isUnknown = event.type === 'completion' && event.end.result === 'unknown';
    return super.handle(isUnknown ? { ...event, end: { result: 'not_started' } } : event, now);
  }
}

test('a core that believes too much is found out, with the faults that it takes and what happened', () => {
  const explored = explore({ seed, schedules: 20, makeCore: (configuration) => new Credulous(configuration) });
  expect(explored.failed).toBeGreaterThan(5);
  expect(explored.failure?.faults.length).toBeLessThanOrEqual(2);
  const text = exploredText(explored);
  expect(text).toContain('violated');
  expect(text).toMatch(/call \d+ ended unknown/);
  expect(text).toContain(`--schedules 1 --seed ${explored.failure?.seed}`);
});
