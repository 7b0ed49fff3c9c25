/** What happens in one simulated schedule, drawn from its seed. */
import type { BackendConfiguration, CoreConfiguration, ModelConfiguration, StreamConfiguration } from '../../../src/core/configuration.js';
import { CLASSES, DEFAULT_OVERLOAD } from '../../../src/core/configuration.js';
import { millis } from '../../../src/core/units.js';
import { Dice } from '../dice.js';

/**
 * Where the server is, and what the governor can learn of it.
 *
 * plain: a direct local server that is killed, hangs, and comes back · local: the same server, every fault · hasty: the same, and work goes to a new process before anybody has looked at it · counted: no witness, as of a server on another machine;
 * half of them hasty.
 */
export const SITES = ['plain', 'local', 'hasty', 'counted'] as const;
export type Site = (typeof SITES)[number];

export type Fault =
  /** The process is killed, and another one is there after so long. */
  | { readonly kind: 'kill'; readonly downMs: number }
  /** The process is stopped (SIGSTOP), and goes on after so long. */
  | { readonly kind: 'freeze'; readonly forMs: number }
  /** A model is unloaded and loaded; what runs of it runs on. */
  | { readonly kind: 'reload'; readonly model: string; readonly gapMs: number }
  /** The process of a model is killed; the model is loaded anew after so long. */
  | { readonly kind: 'crash'; readonly model: string; readonly gapMs: number }
  /** The connection is reset. */
  | { readonly kind: 'cut' }
  /** Another connection takes the place of one that stands. */
  | { readonly kind: 'replace' }
  /** The next execution of a model takes so much longer. */
  | { readonly kind: 'hang'; readonly model: string; readonly forMs: number }
  /** Something between the two gives a call up, which runs on. */
  | { readonly kind: 'give_up'; readonly calls: number }
  /** The next calls are refused by a full queue, and counted nowhere. */
  | { readonly kind: 'refuse'; readonly calls: number }
  /** Questions for counters and for the witness take so much longer for a while. */
  | { readonly kind: 'slow_reports'; readonly byMs: number; readonly forMs: number }
  /** The time of an open call is over, whatever is known of it. */
  | { readonly kind: 'time_out' }
  /** The end of a call is told once more. */
  | { readonly kind: 'told_twice' }
  /** A drain whose limit comes at once, and the node goes on after so long. */
  | { readonly kind: 'drain'; readonly forMs: number };

export interface PlannedFault {
  readonly atMs: number;
  readonly fault: Fault;
}

export interface Schedule {
  readonly seed: number;
  readonly site: Site;
  readonly configuration: CoreConfiguration;
  readonly timeoutMs: number;
  /** Typical runtime of an execution. */
  readonly runtimeMs: number;
  /** Calls outside all counts before a model is used. */
  readonly warmUps: number;
  /** How long each question takes each way, beside the way itself. */
  readonly slowMs: number;
  /** Work goes to a new process before anybody has looked at it, and calls of a lost connection return long after. */
  readonly hasty: boolean;
  readonly periodsMs: readonly number[];
  readonly faults: readonly PlannedFault[];
}

export const BACKEND = 'server';
const FIRST_FAULT_MS = 150;
/** Its forecasts take most of the time of a schedule, and proofs do not depend on them. */
const PLANNED_PERCENT = 10;
const LAST_FAULT_MS = 1800;
const TOGETHER_WITHIN_MS = 120;
const LONG_BEFORE_MS = 60;
/** After these the end of every call can be known, where the witness tells of restarts. */
const PLAIN_FAULTS = ['kill', 'kill', 'kill', 'hang', 'freeze', 'refuse', 'slow_reports', 'time_out', 'told_twice', 'drain'] as const;
const ALL_FAULTS = [...PLAIN_FAULTS, 'reload', 'crash', 'cut', 'cut', 'replace', 'give_up'] as const;

export function drawSchedule(seed: number): Schedule {
  const dice = new Dice(seed, 1);
  const site = dice.of(SITES);
  const hasty = site === 'hasty' || (site === 'counted' && dice.percent(50));
  const configuration = drawConfiguration(dice);
  const models = configuration.models.flatMap(({ variants }) => variants.map(({ backendModel }) => backendModel));
  return {
    seed,
    site,
    configuration,
    timeoutMs: dice.between(40, 300),
    runtimeMs: dice.between(2, 30),
    warmUps: dice.of([0, 0, 1, 3]),
    slowMs: hasty ? dice.between(0, 150) : 0,
    hasty,
    periodsMs: configuration.streams.map(() => dice.between(8, 70)),
    faults: drawFaults(dice, site, models),
  };
}

/** Half of the schedules are about faults that meet each other, and mostly one model, in the midst of calls that take long. */
function drawFaults(dice: Dice, site: Site, models: readonly string[]): PlannedFault[] {
  const kinds: readonly Fault['kind'][] = site === 'plain' ? PLAIN_FAULTS : ALL_FAULTS;
  const count = dice.between(1, site === 'plain' ? 4 : 7);
  const anyMs = () => dice.between(FIRST_FAULT_MS, LAST_FAULT_MS);
  if (dice.percent(50))
    return inOrder(Array.from({ length: count }, () => ({ atMs: anyMs(), fault: drawFault(dice, dice.of(kinds), models) })));
  const aroundMs = anyMs();
  const mostly = [dice.of(models)];
  const long: PlannedFault = { atMs: aroundMs - LONG_BEFORE_MS, fault: drawFault(dice, 'hang', mostly) };
  const meeting = Array.from({ length: count }, () => ({
    atMs: aroundMs + dice.between(0, TOGETHER_WITHIN_MS),
    fault: drawFault(dice, dice.of(kinds), dice.percent(80) ? mostly : models),
  }));
  return inOrder([long, ...meeting]);
}

function inOrder(faults: readonly PlannedFault[]): PlannedFault[] {
  return faults.toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * Whether the end of every call can be known: of a server that is there to be looked at, whose models stay, and over connections that nothing
 * is lost on. Else docs/runbook.md names what may stay unknown.
 */
export function isKnowable({ site, faults }: Schedule, lost: number): boolean {
  const knowable: readonly Fault['kind'][] = [...PLAIN_FAULTS, 'cut', 'give_up'];
  return (site === 'plain' || site === 'local') && lost === 0 && faults.every(({ fault }) => knowable.includes(fault.kind));
}

function drawFault(dice: Dice, kind: Fault['kind'], models: readonly string[]): Fault {
  switch (kind) {
    case 'kill':
      return { kind, downMs: dice.of([0, 1, dice.between(2, 50), dice.between(50, 600)]) };
    case 'freeze':
      return { kind, forMs: dice.of([dice.between(1, 100), dice.between(100, 2500)]) };
    case 'reload':
    case 'crash':
      return { kind, model: dice.of(models), gapMs: dice.of([0, dice.between(1, 50), dice.between(50, 1500)]) };
    case 'hang':
      return { kind, model: dice.of(models), forMs: dice.between(50, 1500) };
    case 'give_up':
    case 'refuse':
      return { kind, calls: dice.between(1, 3) };
    case 'slow_reports':
      return { kind, byMs: dice.between(5, 400), forMs: dice.between(100, 1000) };
    case 'drain':
      return { kind, forMs: dice.between(1, 200) };
    case 'cut':
    case 'replace':
    case 'time_out':
    case 'told_twice':
      return { kind };
  }
}

function drawConfiguration(dice: Dice): CoreConfiguration {
  const slots = dice.between(1, 3);
  const backend: BackendConfiguration = {
    name: BACKEND,
    slots,
    pipeliningDepth: dice.between(0, 2),
    noCorun: [],
    trust: dice.of(['open', 'strict']),
  };
  const models = Array.from({ length: dice.between(1, 3) }, (_, index) => drawModel(dice, `m${index}`, slots));
  const streams = Array.from({ length: dice.between(1, 4) }, (_, index) => drawStream(dice, `s${index}`, models));
  const banned = dice.percent(20) && models.length > 1;
  return {
    backends: [{ ...backend, noCorun: banned ? [['m0', 'm1']] : [] }],
    models,
    streams,
    scheduling: { protectSupply: dice.percent(20), policy: dice.percent(PLANNED_PERCENT) ? 'planned' : 'ordered' },
    ...(dice.percent(30) ? { overload: DEFAULT_OVERLOAD } : {}),
  };
}

function drawModel(dice: Dice, name: string, slots: number): ModelConfiguration {
  const profiled = dice.percent(60);
  const variants = Array.from({ length: dice.between(1, 2) }, (_, index) => {
    const p50Us = millis(dice.between(2, 30) / (index + 1));
    return {
      name: `v${index}`,
      backendModel: `${name}_v${index}`,
      quality: 1 - index / 2,
      qualitySource: 'declared' as const,
      ...(profiled ? { profile: { p50Us, p95Us: p50Us, p99Us: p50Us } } : {}),
    };
  });
  return { name, backend: BACKEND, ...(dice.percent(50) ? { instances: dice.between(1, slots) } : {}), variants };
}

function drawStream(dice: Dice, name: string, models: readonly ModelConfiguration[]): StreamConfiguration {
  const periodUs = millis(dice.between(10, 70));
  const policy = dice.of(['latest', 'latest', 'fifo', 'never_drop'] as const);
  // What drops nothing is given the time that its queue takes: else it may bring nothing fresh, whatever the server does.
  const maxAgeUs = millis(policy === 'never_drop' ? 2000 : dice.between(60, 1000));
  return {
    name,
    model: dice.of(models).name,
    class: dice.of(CLASSES),
    queue: { policy, capacity: policy === 'latest' ? 1 : dice.between(1, 6), overflow: 'reject_new' },
    contract: { ...(dice.percent(70) ? { periodUs } : {}), deadlineUs: millis(dice.between(20, 200)), maxAgeUs },
  };
}
