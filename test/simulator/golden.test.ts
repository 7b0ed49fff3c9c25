import { expect, test } from 'vitest';
import { atLoad } from '../../src/simulator/load.js';
import { measure } from '../../src/simulator/measure.js';
import { createPolicy } from '../../src/simulator/policies.js';
import { readScenario } from '../../src/simulator/scenario-file.js';
import { simulate } from '../../src/simulator/simulate.js';
import { medianOf } from '../../src/simulator/summary.js';
import { Workload } from '../../src/simulator/workload.js';

function run(name: string, policy: string) {
  const scenario = readScenario(`benchmark/scenarios/${name}.yaml`);
  return scenario.loads.map((load) => {
    const scaled = atLoad(scenario, load);
    const runs = scenario.seeds.map((seed) =>
      measure(simulate(scaled, new Workload(scaled, seed), (world) => createPolicy(policy, world))),
    );
    return medianOf(runs);
  });
}

// Published figures that two independent simulators agree on: generator, engine and window measure are right to the digit.
test.each([
  ['a-freshness', '0/117/184/167/386/692/941', '910/910/908/803/569/282/54'],
  ['b-protected', '195/307/408/488/582/683/761', '1963/1688/1532/1431/1324/1166/879'],
])('fifo of depth 1 gives the published figures on %s', (name, uncovered, valid) => {
  const reports = run(name, 'fifo-1');
  expect(reports.map(({ worst_guarded }) => worst_guarded?.window_uncovered_permille).join('/')).toBe(uncovered);
  expect(reports.map((report) => report.valid).join('/')).toBe(valid);
});

test('class priority without look-ahead gives the published figures at 100 and 150 %', () => {
  const worst = run('b-protected', 'latest_priority').map(({ worst_guarded }) => worst_guarded?.window_uncovered_permille);
  expect([worst[3], worst[6]]).toEqual([461, 703]);
});
