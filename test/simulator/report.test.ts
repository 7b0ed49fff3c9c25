import { describe, expect, it } from 'vitest';
import { drawPlot } from '../../src/simulator/plot/plot.js';
import type { SimulationReport } from '../../src/simulator/report.js';
import { runScenario } from '../../src/simulator/run-scenario.js';
import { runTask } from '../../src/simulator/run-task.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';
import { medianOf } from '../../src/simulator/summary.js';
import { textTable } from '../../src/simulator/text-table.js';
import { runTasks } from '../../src/simulator/workers.js';
import { TWO_STREAMS } from './scenarios.js';

const SCENARIO: Scenario = { ...parseScenario(TWO_STREAMS, 'two.yaml'), policies: ['fifo-1', 'governor', 'clairvoyant'] };

function report(everySeed: boolean): Promise<SimulationReport> {
  return runScenario(SCENARIO, { processes: 1, everySeed, done: () => {} });
}

describe('the report', () => {
  it('has one run for each load and policy, with every field', async () => {
    const { scenario, runs } = await report(false);
    expect(scenario).toBe('two');
    expect(runs.map(({ load_permille, policy, seeds }) => `${load_permille} ${policy} ${seeds}`)).toEqual(
      [900, 1400].flatMap((load) => SCENARIO.policies.map((policy) => `${load} ${policy} 3`)),
    );
    expect(Object.keys(runs[0] ?? {})).toEqual([
      ...['load_permille', 'policy', 'seeds', 'streams', 'worst_guarded'],
      ...['valid', 'stale_compute_permille', 'slot_busy_permille'],
    ]);
    expect(runs[0]?.streams['front']).toMatchObject({
      delivered_by_variant: { large: expect.any(Number), small: 0 },
      outcomes: { superseded: 0, stale: 0, infeasible: expect.any(Number), cancelled: 0, backend_timeout: 0, backend_failed: 0 },
      response_age_ms: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
    });
  });

  it('has one run a seed when asked, and medians are those of the seeds', async () => {
    const [perSeed, medians] = [await report(true), await report(false)];
    const own = perSeed.runs.filter((run) => run.policy === 'fifo-1' && run.load_permille === 1400);
    expect(own.map(({ seed, seeds }) => [seed, seeds])).toEqual([1, 2, 3].map((seed) => [seed, 1]));
    const ages = own.map(({ streams }) => streams['front']?.age_mean_ms ?? 0).sort((a, b) => a - b);
    const median = medians.runs.find((run) => run.policy === 'fifo-1' && run.load_permille === 1400);
    expect(median?.streams['front']?.age_mean_ms).toBe(ages[1]);
  });

  it('takes the worst guarded stream of each seed before the median', () => {
    const base = runTask(SCENARIO, { load: 900, seed: 1 })[0];
    if (base === undefined) throw new Error('there is a first policy');
    const worst = (window: number) => ({ ...base, worst_guarded: { window_uncovered_permille: window, consumer_uncovered_permille: 0 } });
    expect(medianOf([worst(10), worst(900), worst(40)]).worst_guarded?.window_uncovered_permille).toBe(40);
    expect(medianOf([worst(10), worst(40)]).worst_guarded?.window_uncovered_permille).toBe(25);
  });
});

it('gives the same in worker processes as in one', async () => {
  const tasks = [900, 1400].flatMap((load) => [1, 2].map((seed) => ({ load, seed })));
  const told: number[] = [];
  const program = { file: 'setup/run-typescript.mjs', arguments: ['src/simulator/worker-main.ts'] };
  const results = await runTasks(SCENARIO, tasks, 2, (count) => told.push(count), program);
  expect(results).toEqual(tasks.map((task) => runTask(SCENARIO, task)));
  expect(told).toEqual([1, 2, 3, 4]);
}, 30_000);

it('says so when a worker process dies', async () => {
  const program = { file: 'no-such-worker.mjs', arguments: [] };
  await expect(runTasks(SCENARIO, [{ load: 900, seed: 1 }], 1, () => {}, program)).rejects.toThrow('a worker process ended with status 1');
}, 30_000);

describe('the table', () => {
  it('stands in columns and ends with the guarded streams over the loads', async () => {
    const lines = textTable(await report(false)).split('\n');
    const head = lines.findIndex((line) => line.startsWith('policy'));
    const ends = lines.slice(head, head + 3).map((line) => line.length);
    expect(new Set(ends).size).toBe(1);
    expect(lines.at(-4)).toMatch(/^policy +load 900 ‰ +load 1400 ‰$/);
    expect(lines.at(-3)).toMatch(/^fifo-1 +\d+\/\d+ +\d+\/\d+$/);
  });
});

describe('the plot', () => {
  it('draws every policy, stream and slot, and escapes names', async () => {
    const named = { ...SCENARIO, name: 'a < b & c' };
    const svg = drawPlot(named, await report(false));
    expect(svg).toContain('a &lt; b &amp; c');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    for (const word of ['fifo-1', 'governor', 'clairvoyant', 'front (protected)', 'text (best_effort)', 'age of the newest result']) {
      expect(svg).toContain(word);
    }
    const open = svg.match(/<[a-z]+/g)?.length;
    const closed = svg.match(/<\/[a-z]+>|\/>/g)?.length;
    expect(closed).toBe(open);
  });
});
