/** One long run of the core on fixed input, boiled down to a number that is the same wherever the same was decided. */
import { createHash } from 'node:crypto';
import type { CoreConfiguration, SchedulingConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { CLOCK_ORIGIN_US, micros, plus, requestId } from '../../src/core/units.js';
import { governorConfiguration } from '../../src/simulator/governor-configuration.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { readScenario } from '../../src/simulator/scenario-file.js';
import { Workload } from '../../src/simulator/workload.js';
import { POLICIES } from './policies.js';

/** `strict` only puts the look-ahead in front of the same plan. */
export const DIGESTED = POLICIES.filter(({ scheduling }) => scheduling.strictClasses !== true);

const FRAMES = 15_000;
const SEED = 1;
const NS_PER_US = 1000;

/**
 * The frames and runtimes as the core sees them, in whole microseconds. The generator draws runtimes with Math.log and Math.exp, of which
 * nobody promises the last digit; whole nanoseconds swallow it, but for one draw in 10^8 or so. Where this number differs, an engine has
 * drawn other runtimes, and the other number says nothing.
 */
export function inputDigest(): string {
  const { workload } = input();
  const hash = createHash('sha256');
  for (const frame of workload.byArrival) {
    hash.update(`${frame} ${us(workload.captureNs[frame])} ${us(workload.arrivalNs[frame])} ${us(workload.runtimeNs(frame, 0))}\n`);
  }
  return hash.digest('hex');
}

export interface Decided {
  /** Over every action with its instant, in order. */
  readonly digest: string;
  readonly arrivals: number;
  readonly ends: number;
  readonly wakes: number;
}

/** One server with one slot: what is sent ends when its frame has run. */
export function decideAll(scheduling: SchedulingConfiguration): Decided {
  const { scenario, workload } = input();
  const configuration: CoreConfiguration = { ...governorConfiguration(scenario), scheduling };
  const core = new DecisionCore(configuration);
  const hash = createHash('sha256');
  const counts = { arrivals: 0, ends: 0, wakes: 0 };
  let wakeUs = Number.POSITIVE_INFINITY;
  let running: { readonly request: number; readonly endUs: number } | undefined;
  const send = (atUs: number, event: CoreEvent) => {
    for (const action of core.handle(event, plus(CLOCK_ORIGIN_US, micros(atUs)))) {
      hash.update(`${atUs} ${JSON.stringify(action)}\n`);
      if (action.type === 'wake') wakeUs = action.at - CLOCK_ORIGIN_US;
      if (action.type === 'dispatch')
        running = { request: action.request, endUs: atUs + us(workload.runtimeNs(frameOf(action.request), 0)) };
    }
  };
  const frameOf = (request: number): number => workload.byArrival[request - 1] as number;
  for (const { backend, variants } of configuration.models) {
    for (const { backendModel } of variants) send(0, { type: 'readiness', backend, backendModel, ready: true });
  }
  send(0, { type: 'resume' });
  while (counts.arrivals < workload.frames || running !== undefined) {
    const next = workload.byArrival[counts.arrivals];
    const arrivalUs = next === undefined ? Number.POSITIVE_INFINITY : us(workload.arrivalNs[next]);
    if (running !== undefined && running.endUs <= Math.min(arrivalUs, wakeUs)) {
      const { request, endUs } = running;
      running = undefined;
      counts.ends += 1;
      send(endUs, { type: 'completion', request: requestId(request), end: { result: 'ok' } });
    } else if (next !== undefined && arrivalUs <= wakeUs) {
      counts.arrivals += 1;
      send(arrivalUs, arrivalOf(scenario, workload, next, counts.arrivals));
    } else {
      const atUs = wakeUs;
      wakeUs = Number.POSITIVE_INFINITY;
      counts.wakes += 1;
      send(atUs, { type: 'tick' });
    }
  }
  return { digest: hash.digest('hex'), ...counts };
}

function arrivalOf({ streams }: Scenario, workload: Workload, frame: number, id: number): CoreEvent {
  const capture = plus(CLOCK_ORIGIN_US, micros(us(workload.captureNs[frame])));
  const stream = streams[workload.stream[frame] as number]?.name ?? '';
  return { type: 'arrival', request: requestId(id), stream, capture, stampNs: BigInt(frame) };
}

/** So many frames of each stream, however long that takes. */
function input(): { readonly scenario: Scenario; readonly workload: Workload } {
  const read = readScenario('benchmark/scenarios/determinism.yaml');
  const streams = read.streams.map((stream) => {
    const { phaseNs, periodNs } = stream.source;
    return { ...stream, source: { ...stream.source, stopNs: phaseNs + FRAMES * periodNs } };
  });
  const scenario = { ...read, streams, runNs: Number.MAX_SAFE_INTEGER };
  return { scenario, workload: new Workload(scenario, SEED) };
}

function us(ns: number | undefined): number {
  return Math.floor((ns ?? Number.NaN) / NS_PER_US);
}
