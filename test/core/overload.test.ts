import { describe, expect, test } from 'vitest';
import { DecisionCore } from '../../src/core/decision-core.js';
import { millis } from '../../src/core/units.js';
import { Bench, configure, type Setting } from './bench.js';

/** One guarded and two weaker streams; every model takes 10 ms. */
const SETTING: Setting = {
  overload: true,
  streams: {
    guarded: { class: 'protected', queue: { policy: 'fifo' }, deadline: 20 },
    plain: { class: 'normal', queue: { policy: 'fifo' } },
    spare: { class: 'best_effort', queue: { policy: 'fifo' } },
  },
};

/** Runs one guarded request from `atMs` for `forMs`, nothing else being there. @returns what its end brought. */
function run(bench: Bench, atMs: number, forMs: number, stream = 'guarded'): string[] {
  const [dispatched] = bench.arrive(atMs, stream);
  const id = Number(dispatched?.split(' ')[1]);
  return bench.complete(atMs + forMs, id).filter((line) => line.startsWith('level'));
}

function dispatched(bench: Bench, atMs: number): number {
  return Number(bench.arrive(atMs, 'guarded')[0]?.split(' ')[1]);
}

describe('the overload level', () => {
  test('rises one step at a time, each step a dwell after the one before, on at least two violations', () => {
    const bench = new Bench(SETTING);
    expect(run(bench, 0, 21)).toEqual([]);
    expect(run(bench, 100, 21)).toEqual(['level 1']);
    expect(run(bench, 130, 21)).toEqual([]);
    expect(bench.tick(320)).toEqual([]);
    expect(bench.tick(321)).toEqual(['level 2']);
    expect(bench.tick(521)).toEqual(['level 3']);
    expect(bench.tick(721)).toEqual(['level 4']);
    expect(bench.tick(921)).toEqual([]);
    expect(bench.backend()?.overloadLevel).toBe(4);
    expect(bench.actions.find((action) => action.type === 'level')).toMatchObject({
      backend: 'gpu',
      previous: 0,
      why: { violations: 2, samples: 2 },
    });
  });

  test('falls by itself once the violations are a second old, waking only when something can change', () => {
    const bench = new Bench({ ...SETTING, overload: { enterPermille: [50, 1001, 1002, 1003] } });
    run(bench, 0, 21);
    run(bench, 100, 21);
    expect(bench.backend()?.overloadLevel).toBe(1);
    const wakes: number[] = [];
    while (bench.wakeMs !== undefined && wakes.length < 20 && bench.backend()?.overloadLevel !== 0) {
      wakes.push(bench.wakeMs);
      bench.tick(bench.wakeMs);
    }
    expect(wakes).toEqual([1021, 1083.5]);
    expect(bench.backend()?.overloadLevel).toBe(0);
  });

  test('keeps between leave and enter', () => {
    const bench = new Bench(SETTING);
    for (let i = 0; i < 27; i += 1) run(bench, i * 20, 10);
    run(bench, 600, 21);
    expect(run(bench, 700, 21)).toEqual(['level 1']); // 2 of 29: 69 per mille
    for (let i = 0; i < 15; i += 1) expect(run(bench, 730 + i * 12, 10)).toEqual([]);
    expect(bench.tick(950)).toEqual([]); // 2 of 44: 45 per mille
  });

  test('one violation of many requests is no overload, however large its share', () => {
    const bench = new Bench(SETTING);
    run(bench, 0, 21);
    expect(bench.tick(300)).toEqual([]);
    expect(bench.backend()?.overloadLevel).toBe(0);
  });

  test.each<[string, (bench: Bench, at: number) => void]>([
    ['obsolete', (bench, at) => void run(bench, at, 31)],
    ['stale', (bench, at) => void bench.arrive(at, 'guarded', { capture: at - 25 })],
    ['timed out', (bench, at) => void bench.timeout(at + 5, dispatched(bench, at))],
    ['failed', (bench, at) => void bench.complete(at + 5, dispatched(bench, at), 'failed')],
    ['not started', (bench, at) => void bench.complete(at + 5, dispatched(bench, at), 'not_started')],
    [
      'infeasible',
      (bench, at) => {
        bench.ready(at, 'guarded_only', false);
        bench.arrive(at, 'guarded');
      },
    ],
  ])('counts what ended %s', (_, violate) => {
    const bench = new Bench({
      overload: true,
      backend: { slots: 3 },
      streams: { guarded: { class: 'high', queue: { policy: 'fifo' }, maxAge: 30 } },
    });
    violate(bench, 0);
    expect(bench.backend()?.overloadLevel).toBe(0);
    violate(bench, 40);
    expect(bench.backend()?.overloadLevel).toBe(1);
  });

  test('does not count what was superseded or withdrawn, nor weaker streams', () => {
    const late = { queue: { policy: 'fifo' }, deadline: 5 } as const;
    const bench = new Bench({
      ...SETTING,
      streams: {
        camera: { class: 'protected', deadline: 0.5 },
        plain: { class: 'normal', ...late },
        spare: { class: 'best_effort', ...late },
      },
    });
    bench.arrive(0, 'plain');
    for (let at = 10; at < 20; at += 1) bench.arrive(at, 'camera');
    bench.cancel(20, 11);
    bench.complete(21, 1);
    for (const at of [30, 50, 70]) run(bench, at, 10, 'plain');
    for (const at of [100, 120, 140]) run(bench, at, 10, 'spare');
    expect(bench.actions.filter((action) => action.type === 'terminate' && action.deadlineMissed).length).toBeGreaterThan(10);
    expect(bench.actions.filter((action) => action.type === 'level')).toEqual([]);
  });

  test('is off without thresholds', () => {
    const { overload: _, ...off } = SETTING;
    const bench = new Bench(off);
    for (let i = 0; i < 10; i += 1) run(bench, i * 30, 21);
    expect(bench.backend()?.overloadLevel).toBe(0);
  });
});

describe('what a level does', () => {
  /** At the level, with nothing running. */
  function at(level: number, setting: Setting = SETTING): Bench {
    const bench = new Bench({ ...setting, overload: true });
    run(bench, 0, 21);
    run(bench, 30, 21);
    for (let step = 2; step <= level; step += 1) bench.tick(51 + (step - 1) * 200);
    expect(bench.backend()?.overloadLevel).toBe(level);
    return bench;
  }

  test('1 sweeps the whole queue: what cannot be fresh once the running call has ended', () => {
    const streams = { ...SETTING.streams, spare: { ...SETTING.streams['spare'], maxAge: 50 } };
    const calm = new Bench({ ...SETTING, streams });
    calm.arrive(60, 'plain');
    expect(calm.arrive(60, 'spare', { capture: 29 })).toEqual([]);
    const pressed = at(1, { ...SETTING, streams });
    pressed.arrive(60, 'plain'); // runs to 70; then 10 more
    expect(pressed.arrive(60, 'spare', { capture: 30 })).toEqual([]);
    expect(pressed.arrive(60, 'spare', { capture: 29 })).toEqual(['end 5 stale/predicted_stale']);
    expect(pressed.outcomeOf(5)?.why).toMatchObject({ startUs: millis(70), optimisticUs: millis(10), slackUs: millis(19) });
  });

  test('2 refuses nobody', () => {
    expect(at(2).arrive(300, 'spare')).toEqual(['dispatch 3']);
  });

  test('3 refuses best effort, what waits stays', () => {
    const bench = at(2);
    bench.arrive(440, 'guarded');
    bench.arrive(441, 'spare');
    expect(bench.tick(451)).toEqual(['level 3']);
    expect(bench.arrive(452, 'spare')).toEqual(['end 5 infeasible/admission']);
    expect(bench.outcomeOf(5)?.why).toEqual({ blockedBy: 'overload level 3' });
    expect(bench.arrive(453, 'plain')).toEqual([]);
    expect(bench.stream('spare')?.waiting).toBe(1);
  });

  test('4 admits guarded streams only', () => {
    const bench = at(4);
    expect(bench.arrive(660, 'spare')).toEqual(['end 3 infeasible/protected_only']);
    expect(bench.arrive(661, 'plain')).toEqual(['end 4 infeasible/protected_only']);
    expect(bench.arrive(662, 'guarded')).toEqual(['dispatch 5']);
  });
});

test('a backend that is away does not touch the streams of another', () => {
  const base = configure(SETTING);
  const core = new DecisionCore({
    ...base,
    backends: [...base.backends, { name: 'cpu', slots: 1, pipeliningDepth: 0, noCorun: [] }],
    models: base.models.map((model) => (model.name === 'spare' ? { ...model, backend: 'cpu' } : model)),
  });
  for (let i = 1; i <= 4; i += 1) {
    core.handle({ type: 'arrival', request: i as never, stream: 'guarded', capture: millis(i * 300), stampNs: BigInt(i) }, millis(i * 300));
  }
  expect(core.snapshot().backends.map((backend) => backend.overloadLevel)).toEqual([3, 0]);
});

test.each([
  [{ enterPermille: [50, 50, 200, 400] }, /entered at 50 per mille, the one before at 50/],
  [{ leavePermille: [50, 50, 100, 200] }, /left at 50 and entered at 50/],
  [{ enterPermille: [50, 100, 200] }, /3 enter and 4 leave thresholds/],
  [{ minViolations: 0 }, /min_violations/],
])('refuses %j', (overload, text) => {
  expect(() => new Bench({ ...SETTING, overload })).toThrow(text);
});
