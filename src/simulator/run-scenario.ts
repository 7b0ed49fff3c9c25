/** The whole scenario: all loads, all seeds, all policies. */
import type { Measures, RunReport, SimulationReport } from './report.js';
import { runTask, type Task } from './run-task.js';
import type { Scenario } from './scenario.js';
import { medianOf } from './summary.js';
import { runTasks } from './workers.js';

export interface RunOptions {
  /** Worker processes; with 1 everything happens in this one. */
  readonly processes: number;
  /** One report a seed instead of medians. */
  readonly everySeed: boolean;
  readonly done: (tasks: number, of: number) => void;
}

/** @throws {SimulationError} when a policy leaves frames open, or a worker process dies. */
export async function runScenario(scenario: Scenario, { processes, everySeed, done }: RunOptions): Promise<SimulationReport> {
  const tasks = scenario.loads.flatMap((load) => scenario.seeds.map((seed): Task => ({ load, seed })));
  const told = (count: number) => done(count, tasks.length);
  const results = processes === 1 || tasks.length === 1 ? runHere(scenario, tasks, told) : await runTasks(scenario, tasks, processes, told);
  const runs = scenario.loads.flatMap((load, loadIndex) => {
    const perSeed = results.slice(loadIndex * scenario.seeds.length, (loadIndex + 1) * scenario.seeds.length);
    return scenario.policies.flatMap((policy, policyIndex) => {
      const measures = perSeed.map((result) => result[policyIndex] as Measures);
      const head = { load_permille: load ?? null, policy };
      if (!everySeed) return [{ ...head, seeds: measures.length, ...medianOf(measures) }];
      return measures.map((own, seedIndex): RunReport => ({ ...head, seeds: 1, seed: scenario.seeds[seedIndex] as number, ...own }));
    });
  });
  return { scenario: scenario.name, runs };
}

function runHere(scenario: Scenario, tasks: readonly Task[], done: (tasks: number) => void): (readonly Measures[])[] {
  return tasks.map((task, index) => {
    const measures = runTask(scenario, task);
    done(index + 1);
    return measures;
  });
}
