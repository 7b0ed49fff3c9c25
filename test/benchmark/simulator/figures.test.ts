import { expect, it } from 'vitest';
import { Figures, ofStream, valid, worstConsumer, worstWindow } from '../../../benchmark/simulator/figures.js';
import { OURS } from '../../../benchmark/simulator/studies.js';
import { coverageTable, rowsOf } from '../../../benchmark/simulator/tables.js';
import { targets } from '../../../benchmark/simulator/targets.js';
import type { RunReport, StreamReport } from '../../../src/simulator/report.js';
import { parseScenario } from '../../../src/simulator/scenario-file.js';
import { TWO_STREAMS } from '../../simulator/scenarios.js';

const scenario = parseScenario(TWO_STREAMS, 'two.yaml');

function run(policy: string, load: number | null, seed: number, window: number, consumer = 0): RunReport {
  return {
    policy,
    load_permille: load,
    seeds: 1,
    seed,
    streams: {},
    worst_guarded: { window_uncovered_permille: window, consumer_uncovered_permille: consumer },
    valid: 1000 - window,
    stale_compute_permille: 0,
    slot_busy_permille: 500,
  };
}

it('gives the median of the seeds, and how far they lie apart', () => {
  const figures = new Figures(scenario, {
    scenario: 's',
    runs: [run('latest', 1000, 1, 30), run('latest', 1000, 2, 10), run('latest', 1000, 3, 20)],
  });
  expect(figures.seeds).toBe(3);
  expect(figures.spread('latest', 1000, worstWindow)).toEqual({ median: 20, lowest: 10, highest: 30 });
  expect(figures.spread('latest', 1100, worstWindow)).toBeUndefined();
  expect(
    figures.spread(
      'latest',
      1000,
      ofStream('nobody', ({ delivered }: StreamReport) => delivered),
    ),
  ).toBeUndefined();
});

it('takes one depth of a queue for all loads, though another is better at one of them', () => {
  const runs = [run('fifo-1', 1000, 1, 10), run('fifo-4', 1000, 1, 50), run('fifo-1', 1500, 1, 500), run('fifo-4', 1500, 1, 490)];
  const figures = new Figures(scenario, { scenario: 's', runs });
  expect(figures.bestFifo(['fifo-1', 'fifo-4'])).toBe('fifo-1');
  expect(coverageTable(figures, 'window').rows).toEqual([['fifo, depth 1', '10', '500']]);
});

it('puts what others published beside what was measured, marked', () => {
  const figures = new Figures(scenario, { scenario: 's', runs: [run('latest', 1000, 1, 10), run('latest', 1100, 1, 20)] });
  expect(coverageTable(figures, 'window', { governor: { 1000: 7 }, fifo: {} }).rows).toEqual([
    ['latest', '10', '20'],
    ['*earlier, governor, published*', '7', '–'],
    ['*earlier, fifo, published*', '–', '–'],
  ]);
});

it('says whether targets are met by the medians of our default policy', () => {
  const at = (ours: number) =>
    targets(
      new Map([
        [
          'b-protected-clock',
          new Figures(scenario, { scenario: 's', runs: [500, 750, 900, 1000, 1100, 1250, 1500].map((load) => run(OURS, load, 1, ours)) }),
        ],
      ]),
    ).map(({ met, ours: text }) => ({ met, text }));
  expect(at(3)).toEqual([{ met: true, text: '3/3/3/3/3/3/3' }]);
  expect(at(4)).toEqual([{ met: false, text: '4/4/4/4/4/4/4' }]);
});

it('holds coverage against the control arms load by load', () => {
  const others = (load: number) => [run('fifo-1', load, 1, 600, 300), run('latest_priority', load, 1, 400)];
  const figures = (window: number) =>
    new Map([
      [
        'b-protected',
        new Figures(scenario, { scenario: 's', runs: [1000, 1100].flatMap((load) => [...others(load), run(OURS, load, 1, window)]) }),
      ],
    ]);
  const met = (window: number) =>
    targets(figures(window))
      .filter((target) => target.met)
      .map(({ text }) => text);
  expect(met(400).some((text) => text.includes('never above latest_priority'))).toBe(true);
  expect(met(401).some((text) => text.includes('never above latest_priority'))).toBe(false);
  expect(met(300).some((text) => text.includes('2x fewer'))).toBe(true);
  expect(met(301).some((text) => text.includes('2x fewer'))).toBe(false);
  expect(valid(run('a', 1, 1, 100))).toBe(900);
  expect(worstConsumer(run('a', 1, 1, 100, 7))).toBe(7);
});

it('shows policies that did the same in one row, where one of them is a governor without something', () => {
  const runs = [run('latest', 1000, 1, 10), run('governor-ordered', 1000, 1, 10), run('governor-no-variants', 1000, 1, 10)];
  const labels = (more: RunReport[]) =>
    rowsOf(new Figures(scenario, { scenario: 's', runs: [...runs, ...more] })).map(({ label }) => label);
  expect(labels([])).toEqual(['latest', 'governor-ordered = no-variants']);
  const one = new Figures(scenario, { scenario: 's', runs });
  const other = new Figures(scenario, {
    scenario: 't',
    runs: [run('governor-ordered', 1000, 1, 20), run('governor-no-variants', 1000, 1, 21)],
  });
  expect(rowsOf(one, [other]).map(({ label }) => label)).toEqual(['latest', 'governor-ordered', 'governor-no-variants']);
  const differing = [run('governor-ordered', 1100, 1, 20), run('governor-no-variants', 1100, 1, 21)];
  expect(labels(differing)).toEqual(['latest', 'governor-ordered', 'governor-no-variants']);
});
