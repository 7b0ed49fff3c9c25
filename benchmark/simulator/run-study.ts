/** One study: every load, seed and policy, the work spread over processes. */
import path from 'node:path';
import type { SimulationReport } from '../../src/simulator/report.js';
import { runScenario } from '../../src/simulator/run-scenario.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { readScenario } from '../../src/simulator/scenario-file.js';
import { describeHost } from '../host.js';
import { digestOf, type Stored, store, stored } from './store.js';
import type { Study } from './studies.js';

const SCENARIOS = 'benchmark/scenarios';

export interface PreparedStudy {
  readonly scenario: Scenario;
  readonly digest: string;
  readonly tasks: number;
  /** From an earlier run of the same code on the same input. */
  readonly known: Stored<SimulationReport> | undefined;
}

/** @throws {ConfigurationError} when the scenario is wrong. */
export function prepare({ scenario: name, policies, seeds, loads }: Study): PreparedStudy {
  const written = readScenario(path.join(SCENARIOS, `${name}.yaml`));
  const scenario = { ...written, policies, seeds, ...(loads === undefined ? {} : { loads }) };
  const digest = digestOf(scenario);
  return { scenario, digest, tasks: scenario.loads.length * seeds.length, known: stored(name, digest) };
}

export async function runStudy(
  { scenario, digest }: PreparedStudy,
  processes: number,
  done: (tasks: number) => void,
): Promise<Stored<SimulationReport>> {
  const result = await runScenario(scenario, { processes, everySeed: true, done });
  const entry = { digest, host: describeHost(), result };
  store(scenario.name, entry);
  return entry;
}
