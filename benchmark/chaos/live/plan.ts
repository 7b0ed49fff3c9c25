/** What happens in one live schedule, drawn from its seed. */
import { Dice } from '../dice.js';
import { MODEL_NAMES, type ModelName } from './world.js';

export const SERVERS = ['reference', 'triton'] as const;
export type ServerKind = (typeof SERVERS)[number];

export type Fault =
  /** SIGKILL, and another process in its place after so long. */
  | { readonly kind: 'kill'; readonly downMs: number }
  /** SIGSTOP, SIGCONT. */
  | { readonly kind: 'freeze'; readonly forMs: number }
  /** An execution takes so much longer: calls time out. */
  | { readonly kind: 'hang'; readonly model: ModelName; readonly forMs: number }
  /** Unload, load. */
  | { readonly kind: 'reload'; readonly model: ModelName; readonly gapMs: number }
  /** The process of a model is killed, and the model loaded anew after so long. */
  | { readonly kind: 'crash'; readonly model: ModelName; readonly gapMs: number }
  /** Every connection is reset. */
  | { readonly kind: 'cut' }
  /** On the reference server alone: as its faults on command, for a time or for so many calls. */
  | { readonly kind: 'restart'; readonly downMs: number }
  | { readonly kind: 'go_away' }
  | { readonly kind: 'disconnect'; readonly count: number }
  | { readonly kind: 'refuse'; readonly count: number }
  | { readonly kind: 'give_up'; readonly count: number }
  | { readonly kind: 'not_ready'; readonly forMs: number }
  | { readonly kind: 'still_counters'; readonly forMs: number };

export interface PlannedFault {
  readonly atMs: number;
  readonly fault: Fault;
}

export interface Schedule {
  readonly seed: number;
  /** Nothing but kills, restarts, stops and slow calls of a server that is reached directly. */
  readonly isPlain: boolean;
  /** Credits beyond the slots. */
  readonly depth: number;
  readonly faults: readonly PlannedFault[];
}

const FIRST_FAULT_MS = 300;
const LAST_FAULT_MS = 2000;
/** An execution begins within so much, and is not over by then. */
const LONG_BEFORE_MS = 100;

const PLAIN = ['kill', 'hang', 'freeze'] as const;
const ANY = [...PLAIN, 'reload', 'crash', 'cut', 'cut'] as const;
/** What leaves calls behind that run on. */
const LEAVING = ['cut', 'cut', 'reload'] as const;
const LEAVING_ON_COMMAND = ['go_away', 'disconnect', 'give_up'] as const;
const ON_COMMAND = ['go_away', 'disconnect', 'refuse', 'give_up', 'not_ready', 'still_counters'] as const;

export function drawSchedule(seed: number, server: ServerKind): Schedule {
  const dice = new Dice(seed, 1);
  const isPlain = seed % 2 === 1;
  const faults = isPlain ? drawPlain(dice, server) : drawAny(dice, server);
  return { seed, isPlain, depth: dice.between(0, 1), faults: faults.toSorted((one, other) => one.atMs - other.atMs) };
}

/** One without a kill would say little. */
function drawPlain(dice: Dice, server: ServerKind): PlannedFault[] {
  const kinds = server === 'triton' ? PLAIN : ([...PLAIN, 'restart'] as const);
  return [drawAt(dice, ['kill'], MODEL_NAMES), ...Array.from({ length: dice.between(0, 3) }, () => drawAt(dice, kinds, MODEL_NAMES))];
}

/** Most leave calls behind in the midst of long ones. */
function drawAny(dice: Dice, server: ServerKind): PlannedFault[] {
  const onCommand = server === 'reference';
  const kinds: readonly Fault['kind'][] = onCommand ? [...ANY, 'restart', ...ON_COMMAND] : ANY;
  const others = Array.from({ length: dice.of([0, 0, 1, 3]) }, () => drawAt(dice, kinds, MODEL_NAMES));
  if (dice.percent(25)) return [drawAt(dice, kinds, MODEL_NAMES), ...others];
  const leaving = drawAt(dice, onCommand ? [...LEAVING, ...LEAVING_ON_COMMAND] : LEAVING, MODEL_NAMES);
  const atMs = leaving.atMs - LONG_BEFORE_MS;
  const long = MODEL_NAMES.map((model): PlannedFault => ({ atMs, fault: { kind: 'hang', model, forMs: dice.between(600, 1500) } }));
  return [...long, leaving, ...others];
}

function drawAt(dice: Dice, kinds: readonly Fault['kind'][], models: readonly ModelName[]): PlannedFault {
  return { atMs: dice.between(FIRST_FAULT_MS, LAST_FAULT_MS), fault: drawFault(dice, dice.of(kinds), models) };
}

function drawFault(dice: Dice, kind: Fault['kind'], models: readonly ModelName[]): Fault {
  switch (kind) {
    case 'kill':
    case 'restart':
      return { kind, downMs: dice.of([0, dice.between(1, 300)]) };
    case 'freeze':
      return { kind, forMs: dice.between(20, 1200) };
    case 'hang':
      return { kind, model: dice.of(models), forMs: dice.between(200, 1200) };
    case 'reload':
    case 'crash':
      return { kind, model: dice.of(models), gapMs: dice.between(0, 500) };
    case 'disconnect':
    case 'refuse':
    case 'give_up':
      return { kind, count: dice.between(1, 3) };
    case 'not_ready':
    case 'still_counters':
      return { kind, forMs: dice.between(100, 1200) };
    case 'cut':
    case 'go_away':
      return { kind };
  }
}
