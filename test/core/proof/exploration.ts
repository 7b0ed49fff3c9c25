/**
 * Small worlds, gone through whole: every order in which calls, a restart, and what is told of them can happen. What a report proves is
 * compared with what is true (rules.md 11).
 */
import { Boot } from '../../../src/core/proof/boot.js';
import type { Claim } from '../../../src/core/proof/claim.js';
import { Identity } from '../../../src/core/proof/identity.js';
import { type Micros, micros } from '../../../src/core/units.js';

export interface SmallWorld {
  readonly calls: number;
  /** What the server has counted before. */
  readonly before: number;
  /** Questions for the count, and for the witness. */
  readonly counts: number;
  readonly looks: number;
  /** What happens once: the server is killed and is back at once, or the model is unloaded and loaded; then what ran there runs on. */
  readonly upset: 'restart' | 'reload';
  /**
   * What the triton side sees to: calls of a lost connection return before the new process is looked at, and nothing is sent there before
   * the missing witness and then a count were told.
   */
  readonly dutiful: boolean;
}

export interface Explored {
  readonly orders: number;
  /** Orders at whose end, with all said and done, a credit is still held. */
  readonly held: number;
  /** One credit that came back while its call ran, in the words of the order; undefined where there is none. */
  readonly tooEarly: string | undefined;
  /** One order that ends with a held credit. */
  readonly firstHeld: string | undefined;
}

interface TrueCall {
  sent: boolean;
  process: number;
  finished: boolean;
  returned: boolean;
  witnessed: boolean;
}

interface Question {
  asked: boolean;
  told: boolean;
  process: number;
  askedUs: number;
}

/** What is so, whoever knows it. */
interface Truth {
  process: number;
  upset: boolean;
  /** What was sent before the upset runs to its end. */
  runsOn: boolean;
  counts: number[];
  /** Processes that were told of a witness; connections to them over which it was found. */
  registered: boolean[];
  /** The missing witness of the new process was told, and after that a count. */
  introduced: boolean;
  missedUs: number;
  confirmed: boolean[];
  calls: TrueCall[];
  countQuestions: Question[];
  looks: Question[];
}

/** What the core is told, with what is true at that instant. */
interface Told {
  readonly name: string;
  readonly tell: (identity: Identity, boot: Boot, claims: (Claim | undefined)[], now: Micros) => void;
  readonly running: readonly boolean[];
}

export function explore(world: SmallWorld): Explored {
  let orders = 0;
  let held = 0;
  let tooEarly: string | undefined;
  let firstHeld: string | undefined;
  const leaf = (told: readonly Told[]) => {
    orders += 1;
    const result = replay(told, world);
    tooEarly ??= result.tooEarly;
    if (result.held === 0) return;
    held += 1;
    firstHeld ??= told.map(({ name }) => name).join(', ');
  };
  walk(world, startOf(world), [], leaf);
  return { orders, held, tooEarly, firstHeld };
}

function startOf({ calls, before, counts, looks }: SmallWorld): Truth {
  const question = (): Question => ({ asked: false, told: false, process: 0, askedUs: 0 });
  return {
    process: 0,
    upset: false,
    runsOn: false,
    counts: [before, 0],
    registered: [true, false],
    introduced: false,
    missedUs: Number.POSITIVE_INFINITY,
    confirmed: [looks > 0, false],
    calls: Array.from({ length: calls }, () => ({ sent: false, process: 0, finished: false, returned: false, witnessed: false })),
    countQuestions: Array.from({ length: counts }, question),
    looks: Array.from({ length: looks }, question),
  };
}

function walk(world: SmallWorld, truth: Truth, told: Told[], leaf: (told: readonly Told[]) => void): void {
  const steps = stepsFrom(world, truth);
  if (steps.length === 0) {
    leaf(close(truth, told));
    return;
  }
  for (const step of steps) {
    const next = copyOf(truth);
    const event = step(next, told.length + 1);
    told.push({ ...event, running: runningOf(next) });
    walk(world, next, told, leaf);
    told.pop();
  }
}

type Step = (truth: Truth, atUs: number) => Omit<Told, 'running'>;

const SILENT = () => {};

/** Equal calls and questions are taken in their order: another one would be the same world under other names. */
function stepsFrom(world: SmallWorld, truth: Truth): Step[] {
  const steps: Step[] = [];
  const unsent = truth.calls.findIndex(({ sent }) => !sent);
  if (unsent >= 0 && (truth.process === 0 || truth.introduced || !world.dutiful)) steps.push(send(unsent));
  for (const [index, call] of truth.calls.entries()) {
    if (!call.sent) continue;
    if (isRunning(truth, call)) steps.push(finish(index));
    if (!call.returned) steps.push(abort(index));
    if (!call.returned && call.finished) steps.push(answer(index));
  }
  if (!truth.upset) steps.push(upset(world.upset));
  steps.push(...questions(truth, truth.countQuestions, reportCount));
  // A connection is lost before the next one is made: its calls have returned by the time the new process is looked at.
  const cut = truth.calls.every(({ sent, returned, process }) => !sent || returned || process === truth.process);
  if (cut || !world.dutiful) steps.push(...questions(truth, truth.looks, reportWitness));
  return steps;
}

function questions(truth: Truth, all: readonly Question[], report: (question: number) => Step): Step[] {
  const open = all.findIndex(({ asked, told, process }) => asked && !told && process === truth.process);
  if (open >= 0) return [report(open)];
  const next = all.findIndex(({ asked }) => !asked);
  return next < 0 ? [] : [ask(all === truth.looks ? 'looks' : 'countQuestions', next)];
}

function isRunning(truth: Truth, { sent, finished, process }: TrueCall): boolean {
  return sent && !finished && (process === truth.process || truth.runsOn);
}

function runningOf(truth: Truth): boolean[] {
  return truth.calls.map((call) => isRunning(truth, call));
}

const send =
  (index: number): Step =>
  (truth) => {
    Object.assign(truth.calls[index] as TrueCall, {
      sent: true,
      process: truth.process,
      witnessed: truth.confirmed[truth.process] === true,
    });
    return {
      name: `send ${index}`,
      tell: (identity, boot, claims, now) => {
        claims[index] = identity.send(now, boot.number);
      },
    };
  };

const finish =
  (index: number): Step =>
  (truth) => {
    const call = truth.calls[index] as TrueCall;
    call.finished = true;
    // An instance that was unloaded runs to its end, and is counted nowhere any more.
    truth.counts[call.process] = (truth.counts[call.process] as number) + 1;
    return { name: `finish ${index}`, tell: SILENT };
  };

const abort =
  (index: number): Step =>
  (truth) => {
    const call = truth.calls[index] as TrueCall;
    call.returned = true;
    return { name: `abort ${index}`, tell: (identity, boot, claims) => identity.returned(claims[index] as Claim, call.witnessed, boot) };
  };

const answer =
  (index: number): Step =>
  (truth) => {
    (truth.calls[index] as TrueCall).returned = true;
    return { name: `answer ${index}`, tell: (identity, _boot, claims) => identity.answered(claims[index] as Claim, true) };
  };

const upset =
  (kind: SmallWorld['upset']): Step =>
  (truth) => {
    truth.upset = true;
    truth.process = 1;
    truth.runsOn = kind === 'reload';
    if (kind === 'reload') {
      truth.registered[1] = truth.registered[0] as boolean;
      truth.confirmed[1] = truth.confirmed[0] as boolean;
    }
    return { name: kind, tell: SILENT };
  };

const ask =
  (of: 'looks' | 'countQuestions', index: number): Step =>
  (truth, atUs) => {
    Object.assign(truth[of][index] as Question, { asked: true, process: truth.process, askedUs: atUs });
    return { name: of === 'looks' ? 'look' : 'ask', tell: SILENT };
  };

const reportCount =
  (index: number): Step =>
  (truth) => {
    const question = truth.countQuestions[index] as Question;
    question.told = true;
    truth.introduced ||= question.askedUs > truth.missedUs;
    const completed = truth.counts[truth.process] as number;
    const polledUs = micros(question.askedUs);
    return {
      name: `count ${completed}`,
      tell: (identity, boot, _claims, now) => {
        identity.report(completed, polledUs, boot, now);
      },
    };
  };

const reportWitness =
  (index: number): Step =>
  (truth, atUs) => {
    const question = truth.looks[index] as Question;
    question.told = true;
    const present = truth.registered[truth.process] === true;
    truth.registered[truth.process] = true;
    if (present) truth.confirmed[truth.process] = true;
    else truth.missedUs = atUs;
    const polledUs = micros(question.askedUs);
    return {
      name: present ? 'witness' : 'no witness',
      tell: (identity, boot, _claims, now) => {
        if (boot.report(present, polledUs)) identity.serverEnded(boot, now);
      },
    };
  };

/** What runs ends, what is open returns, and all is asked once more. */
function close(truth: Truth, told: readonly Told[]): readonly Told[] {
  const end = copyOf(truth);
  const steps: Step[] = [];
  for (const [index, call] of end.calls.entries()) {
    if (isRunning(end, call)) steps.push(finish(index));
    if (call.sent && !call.returned) steps.push(call.process === end.process || end.runsOn ? answer(index) : abort(index));
  }
  const all = [...told];
  const run = (step: Step) => all.push({ ...step(end, all.length + 1), running: runningOf(end) });
  for (const step of steps) run(step);
  for (let round = 0; round < 2; round += 1) {
    for (const of of ['looks', 'countQuestions'] as const) {
      if (end[of].length === 0) continue;
      end[of] = [{ asked: false, told: false, process: 0, askedUs: 0 }];
      run(ask(of, 0));
      run(of === 'looks' ? reportWitness(0) : reportCount(0));
    }
  }
  return all;
}

function replay(
  told: readonly Told[],
  { calls, before, looks }: SmallWorld,
): { readonly held: number; readonly tooEarly: string | undefined } {
  const identity = new Identity(false);
  const boot = new Boot();
  if (looks > 0) boot.report(true, micros(0));
  identity.report(before, micros(0), boot, micros(0));
  const claims: (Claim | undefined)[] = Array.from({ length: calls }, () => undefined);
  for (const [index, { tell, running }] of told.entries()) {
    tell(identity, boot, claims, micros(index + 1));
    const early = claims.findIndex((claim, call) => claim?.fate === 'ended' && running[call] === true);
    if (early < 0) continue;
    const order = told.slice(0, index + 1).map(({ name }) => name);
    return { held: 0, tooEarly: `call ${early} runs and its credit is back: ${order.join(', ')}` };
  }
  return { held: claims.filter((claim) => claim !== undefined && claim.fate !== 'ended').length, tooEarly: undefined };
}

function copyOf(truth: Truth): Truth {
  return {
    ...truth,
    counts: [...truth.counts],
    registered: [...truth.registered],
    confirmed: [...truth.confirmed],
    calls: truth.calls.map((call) => ({ ...call })),
    countQuestions: truth.countQuestions.map((question) => ({ ...question })),
    looks: truth.looks.map((question) => ({ ...question })),
  };
}
