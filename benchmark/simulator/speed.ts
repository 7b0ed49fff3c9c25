/** How fast decisions and the simulator are, each measured in a process of its own, one after the other. */
import { type ExecFileException, execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeHost, type Host } from '../host.js';
import type { Section } from '../report.js';
import { shown, spreadOf } from '../statistics.js';
import type { Cost, DecisionCost, IdlePasses, SimulatorSpeed } from './measured-speed.js';
import { PUBLISHED_DECISION_P99_US } from './published.js';
import { digestOf, type Stored, store, stored } from './store.js';
import { GOVERNORS, ORDERED, PLANNED } from './studies.js';
import { NOTHING } from './tables.js';

const NAME = 'speed';
const REPEATS = 3;
/** Seconds simulated: fewer where events are many, or a plan is made for most of them. */
const DECIDED = [
  { scenario: 'gate-m3', ordered: 300, planned: 300 },
  { scenario: 'many-16', ordered: 300, planned: 60 },
  { scenario: 'many-32', ordered: 300, planned: 30 },
  { scenario: 'many-256', ordered: 20, planned: 1 },
];
const SIMULATED = [
  { scenario: 'b-protected', ordered: 30, planned: 30 },
  { scenario: 'gate-m3', ordered: 100, planned: 100 },
  { scenario: 'many-16', ordered: 100, planned: 20 },
  { scenario: 'many-32', ordered: 100, planned: 10 },
  { scenario: 'many-256', ordered: 20, planned: 0.5 },
];
/** p99 of an event with `ordered`, by streams. */
const GOAL_P99_US: Readonly<Record<number, number>> = { 4: 5, 16: 12, 32: 27, 256: 200 };
const GOAL_PLANNED_US = 60;
const GOAL_EVENTS_PER_S = 300_000;
const IDLE_PASSES = 1_000_000;
const MAX_OUTPUT = 1_000_000;
const ROOMY = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

interface Speed {
  readonly decisions: readonly (DecisionCost & { readonly scenario: string; readonly policy: string; readonly seconds: number })[];
  readonly simulator: readonly (SimulatorSpeed & { readonly scenario: string; readonly policy: string })[];
  readonly idle: readonly (IdlePasses & { readonly scenario: string; readonly policy: string })[];
}

export interface MeasuredSpeed {
  readonly host: Host;
  readonly sections: readonly Section[];
}

/** @param fresh whether to measure again what the same code was measured at. */
export async function measureSpeed(fresh: boolean, progress: (text: string) => void): Promise<MeasuredSpeed> {
  const digest = digestOf({ DECIDED, SIMULATED, REPEATS, IDLE_PASSES });
  const known = fresh ? undefined : stored<Speed>(NAME, digest);
  const { host, result } = known ?? (await measure(digest, progress));
  return { host, sections: [decisionSection(result), simulatorSection(result), idleSection(result)] };
}

async function measure(digest: string, progress: (text: string) => void): Promise<Stored<Speed>> {
  const decisions: Speed['decisions'][number][] = [];
  const simulator: Speed['simulator'][number][] = [];
  const idle: Speed['idle'][number][] = [];
  for (const policy of GOVERNORS) {
    for (const { scenario, ...simulated } of DECIDED) {
      const seconds = policy === PLANNED ? simulated.planned : simulated.ordered;
      progress(`decision cost: ${scenario}, ${policy}`);
      decisions.push({
        scenario,
        policy,
        seconds,
        ...(await ask<DecisionCost>('decision-cost', [], fileOf(scenario), seconds, policy, REPEATS)),
      });
    }
    for (const { scenario, ...simulated } of SIMULATED) {
      const seconds = policy === PLANNED ? simulated.planned : simulated.ordered;
      progress(`simulator: ${scenario}, ${policy}`);
      simulator.push({
        scenario,
        policy,
        ...(await ask<SimulatorSpeed>('events-per-second', [], fileOf(scenario), seconds, policy, REPEATS)),
      });
    }
    for (const { scenario } of DECIDED.slice(0, 2)) {
      progress(`idle passes: ${scenario}, ${policy}`);
      idle.push({ scenario, policy, ...(await ask<IdlePasses>('idle-passes', ROOMY, fileOf(scenario), policy, IDLE_PASSES)) });
    }
  }
  const entry = { digest, host: describeHost(), result: { decisions, simulator, idle } };
  store(NAME, entry);
  return entry;
}

/** @throws {Error} when the process fails, with how it ended. */
async function ask<T>(program: string, flags: readonly string[], ...arguments_: readonly (string | number)[]): Promise<T> {
  const file = fileURLToPath(new URL(`${program}-main.js`, import.meta.url));
  const command = [...flags, file, ...arguments_.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: MAX_OUTPUT }).catch((cause: ExecFileException) => {
    const { message, code, signal } = cause;
    throw new Error(`${message.trim()}: ended with ${signal ?? `status ${code}`}`, { cause });
  });
  return JSON.parse(stdout) as T; // said by a program of the same build
}

function fileOf(scenario: string): string {
  return `benchmark/scenarios/${scenario}.yaml`;
}

function decisionSection({ decisions }: Speed): Section {
  const rows = decisions.map(({ scenario, policy, streams, events, acting, seconds, repeats, quickest }) => {
    const of = (value: (cost: Cost) => number) => spreadOf(repeats.map(value));
    const goal = policy === PLANNED ? (streams === 4 ? GOAL_PLANNED_US : undefined) : GOAL_P99_US[streams];
    const judged = policy === PLANNED ? quickest.actingP99Us : quickest.p99Us;
    return [
      `${scenario}, ${policy}`,
      String(streams),
      `${events} (${acting}) in ${seconds} s`,
      tenths(quickest.p50Us, quickest.p99Us),
      tenths(quickest.actingP50Us, quickest.actingP99Us),
      shown(
        of(({ p99Us }) => p99Us),
        1,
      ),
      shown(
        of(({ actingP99Us }) => actingP99Us),
        1,
      ),
      goal === undefined ? NOTHING : `${goal}: ${judged <= goal ? 'met' : '**missed**'}`,
      policy === ORDERED ? String(PUBLISHED_DECISION_P99_US[streams] ?? NOTHING) : NOTHING,
    ];
  });
  const columns = [
    '',
    'streams',
    'events (acting)',
    'p50/p99',
    'acting p50/p99',
    'p99 of a repeat',
    'acting p99 of a repeat',
    'goal',
    '*earlier p99, published*',
  ];
  return {
    title: 'What a decision costs',
    method: [
      'Microseconds that the core takes for an event, warm: the events of a simulated run (a tick each millisecond among them) are handed to a new core, on the clock of the live ' +
        `node, once to warm up and ${REPEATS} times measured. p50 and p99 over the events, of each event the quickest repeat, so that other work on the machine counts little; beside it p99 of ` +
        'the repeats as they were: median, lowest, highest. Acting: events that end in an action other than a wake-up. The goal is for p99 of all events with `ordered`, and of the acting ' +
        'ones with `planned`. The earlier implementation is in Rust and was measured on a laptop (i7-10870H).',
    ],
    tables: [{ columns, rows }],
    conclusions: [],
    figures: {},
  };
}

function tenths(...values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join('/');
}

function simulatorSection({ simulator }: Speed): Section {
  const rows = simulator.map(({ scenario, policy, streams, perSecond }) => {
    const spread = spreadOf(perSecond.map((value) => value / 1000));
    const goal = policy === ORDERED ? (spread.median * 1000 >= GOAL_EVENTS_PER_S ? 'met' : '**missed**') : NOTHING;
    return [`${scenario}, ${policy}`, String(streams), shown(spread, 0), goal];
  });
  return {
    title: 'How fast the simulator is',
    method: [
      'Events that the core handles for a second of processor time, in thousands: ticks, arrivals, completions and wake-ups. Drawing the frames is included, measuring the outcome is not.',
    ],
    tables: [{ columns: ['', 'streams', 'thousand events/s', `goal ${GOAL_EVENTS_PER_S / 1000}`], rows }],
    conclusions: [],
    figures: {},
  };
}

function idleSection({ idle }: Speed): Section {
  const rows = idle.map(({ scenario, policy, fromZeroBytes, liveBytes }) => [
    `${scenario}, ${policy}`,
    ...[fromZeroBytes, liveBytes].map((bytes) => shown(spreadOf(bytes), 1)),
  ]);
  return {
    title: 'What a pass without an action allocates',
    method: [
      `Bytes a pass: a run is stopped at 50 instants, and at each the core is asked again and again, ${IDLE_PASSES} times in all, when nothing follows any more. Median, lowest, highest of the 50. The clock of the live node starts at an hour: its instants do not fit into 31 bits, and V8 boxes such a number (16 bytes) wherever a function that it does not inline takes or returns one. What the second column has and the first has not are these, no objects of ours.`,
    ],
    tables: [{ columns: ['', 'clock from 0', 'live clock'], rows }],
    conclusions: [],
    figures: {},
  };
}
