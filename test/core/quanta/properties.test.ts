import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dispatch, Terminate } from '../../../src/core/actions.js';
import { DEFAULT_LEARNING } from '../../../src/core/configuration.js';
import type { CallResult } from '../../../src/core/events.js';
import { MarginRule } from '../../../src/core/margin.js';
import { type Cooperative, FILL_UNTIL } from '../../../src/core/quanta/cooperative.js';
import type { Prompt } from '../../../src/core/quanta/generation.js';
import { QuantumCost } from '../../../src/core/quanta/quantum-cost.js';
import { micros } from '../../../src/core/units.js';
import { Bench, type Setting } from '../bench.js';

const COOPERATIVE: fc.Arbitrary<Cooperative> = fc
  .record({
    baseCostUs: fc.integer({ min: 1, max: 25_000 }).map(micros),
    prefillPerTokenUs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 200, noNaN: true })),
    tokensPerSecond: fc.oneof(fc.integer({ min: 50, max: 5000 }), fc.double({ min: 50, max: 5000, noNaN: true })),
    minTokens: fc.integer({ min: 1, max: 6 }),
    more: fc.integer({ min: 0, max: 60 }),
    fillUntil: fc.constantFrom(...FILL_UNTIL),
  })
  .map(({ more, ...rest }) => ({ ...rest, maxTotalTokens: rest.minTokens + more }));

test('what is said to fit does, and one token more does not', () => {
  const learning = fc.integer({ min: 100, max: 300 }).map((marginPercent) => ({ ...DEFAULT_LEARNING, marginPercent }));
  fc.assert(
    fc.property(COOPERATIVE, learning, fc.integer({ min: -5_000, max: 200_000 }), fc.nat(100), (cooperative, rule, gapUs, context) => {
      const cost = new QuantumCost(cooperative, {}, new MarginRule(rule));
      const tokens = cost.fitting(gapUs, context);
      if (tokens >= 0) expect(cost.plannedUs(tokens, context)).toBeLessThanOrEqual(gapUs);
      expect(cost.plannedUs(tokens + 1, context)).toBeGreaterThan(gapUs);
    }),
    { numRuns: 1000 },
  );
});

interface Step {
  readonly kind: 'text' | 'camera' | 'end' | 'tick' | 'cancel' | 'timeout' | 'wake';
  readonly afterMs: number;
  readonly pick: number;
  readonly prompt: Prompt;
  readonly end: CallResult;
}

const given = <K extends string, V>(key: K, value: V | undefined) => (value === undefined ? {} : { [key]: value });
const OPTIONAL_TOKENS = fc.option(fc.nat(30), { nil: undefined });
const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('text', 'text', 'camera', 'camera', 'end', 'end', 'end', 'end', 'wake', 'wake', 'tick', 'cancel', 'timeout'),
  afterMs: fc.integer({ min: 0, max: 12_000 }).map((us) => us / 1000),
  pick: fc.nat(20),
  prompt: fc
    .record({ promptTokens: OPTIONAL_TOKENS, maxTokens: OPTIONAL_TOKENS, unknownSampling: fc.constantFrom(undefined, undefined, true) })
    .map((drawn) => ({
      ...given('promptTokens', drawn.promptTokens),
      ...given('maxTokens', drawn.maxTokens),
      ...given('unknownSampling', drawn.unknownSampling),
    })),
  end: fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .record({ tokens: OPTIONAL_TOKENS, bytes: OPTIONAL_TOKENS, finished: fc.constantFrom(undefined, false, false, true) })
        .map(
          (told): CallResult => ({
            result: 'ok',
            generated: { ...given('tokens', told.tokens), ...given('bytes', told.bytes), ...given('finished', told.finished) },
          }),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<CallResult>({ result: 'failed', cause: 'model_error' }, { result: 'unknown' }, { result: 'not_started' }),
    },
  ),
});

const SETTING: fc.Arbitrary<Setting> = fc
  .record({
    cooperative: COOPERATIVE,
    slots: fc.integer({ min: 1, max: 2 }),
    depth: fc.nat(1),
    policy: fc.constantFrom('latest', 'fifo', 'never_drop'),
    capacity: fc.integer({ min: 1, max: 3 }),
    age: fc.integer({ min: 20, max: 400 }),
    period: fc.integer({ min: 15, max: 50 }),
    firm: fc.constantFrom(undefined, undefined, 'firm'),
  })
  .map(({ cooperative, slots, depth, policy, capacity, age, period, firm }) => ({
    backend: { slots, pipeliningDepth: depth },
    models: { text: { cooperative, variants: { only: {} } }, camera: 5 },
    streams: {
      camera: { class: 'protected', period, deadline: period, maxAge: 2 * period },
      text: {
        class: 'best_effort',
        maxAge: age,
        deadline: age,
        queue: { policy: policy as 'fifo', capacity: policy === 'latest' ? 1 : capacity },
        contract: firm === undefined ? {} : { minRuntime: { budgetUs: micros(20_000), windowUs: micros(100_000), guarantee: 'firm' } },
      },
    },
  }));

interface Text {
  readonly ceiling: number;
  readonly divisible: boolean;
  calls: number;
  ended: boolean;
}

/** Plays steps, keeps books of its own, and looks after each event whether all is as it must be. */
class Play {
  readonly reached: string[] = [];
  readonly #setting: Setting;
  readonly #world: Bench;
  readonly #cooperative: Cooperative;
  readonly #texts = new Map<number, Text>();
  readonly #running = new Set<number>();
  readonly #held = new Set<number>();
  #atMs = 0;
  #arrived = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#world = new Bench(setting);
    this.#world.plain(-1, 'resume');
    const [model] = this.#world.configuration.models;
    this.#cooperative = model?.cooperative as Cooperative;
  }

  run(step: Step): void {
    this.#atMs = Math.round((this.#atMs + step.afterMs) * 1000) / 1000;
    if (!this.#send(step)) return;
    for (const action of this.#world.last) {
      if (action.type === 'dispatch') this.#dispatched(action);
      else if (action.type === 'terminate') this.#ended(action);
      else if (action.type === 'defer') this.reached.push('defer');
    }
    this.#checkCounts();
  }

  /** @returns whether the step meant anything. */
  #send({ kind, pick, prompt, end }: Step): boolean {
    const world = this.#world;
    const open = [...this.#running][pick % Math.max(1, this.#running.size)];
    switch (kind) {
      case 'wake':
        if (world.wakeMs === undefined || world.wakeMs <= this.#atMs) return false;
        this.#atMs = world.wakeMs;
        world.tick(this.#atMs);
        return true;
      case 'text':
      case 'camera':
        this.#arrived += 1;
        if (kind === 'text') this.#texts.set(this.#arrived, this.#textOf(prompt));
        world.arrive(this.#atMs, kind, kind === 'text' ? { prompt } : {});
        return true;
      case 'end':
        if (open === undefined) return false;
        if (end.result === 'unknown') this.#held.add(open);
        this.#running.delete(open);
        world.complete(this.#atMs, open, end);
        return true;
      case 'timeout':
        if (open !== undefined) world.timeout(this.#atMs, open);
        return open !== undefined;
      case 'cancel':
        world.cancel(this.#atMs, Math.max(1, this.#arrived - (pick % 4))); // one of the newest
        return true;
      case 'tick':
        world.tick(this.#atMs);
        return true;
    }
  }

  #textOf({ maxTokens, unknownSampling = false }: Prompt): Text {
    const { maxTotalTokens } = this.#cooperative;
    return { ceiling: Math.min(maxTokens ?? maxTotalTokens, maxTotalTokens), divisible: !unknownSampling, calls: 0, ended: false };
  }

  #dispatched({ request, quantum, why }: Dispatch): void {
    expect(this.#running.has(request)).toBe(false); // one call of a request at a time
    this.#running.add(request);
    const text = this.#texts.get(request);
    expect(quantum === undefined).toBe(text === undefined);
    if (text === undefined || quantum === undefined) return;
    text.calls += 1;
    const left = text.ceiling - (why.generated ?? 0);
    expect(text.ended).toBe(false);
    expect(why.follows).toBeUndefined();
    expect(quantum.number).toBe(text.calls);
    expect(quantum.tokens).toBeLessThanOrEqual(left);
    expect(quantum.tokens).toBeGreaterThanOrEqual(Math.min(left, this.#cooperative.minTokens));
    if (!text.divisible) expect([quantum.tokens, text.calls]).toEqual([text.ceiling, 1]);
    this.reached.push(text.calls > 1 ? 'goes on' : quantum.tokens < left ? 'cut' : 'whole');
  }

  #ended({ request, cause, why }: Terminate): void {
    const text = this.#texts.get(request);
    if (text === undefined) return;
    expect(text.ended).toBe(false);
    text.ended = true;
    this.reached.push(text.calls > 1 || why.generated !== undefined ? `${cause} of a chain` : cause);
  }

  #checkCounts(): void {
    const { slots = 1, pipeliningDepth = 0 } = this.#setting.backend ?? {};
    const { received, waiting, inFlight, outcomes } = this.#world.stream('text') ?? { received: 0, waiting: 0, inFlight: 0, outcomes: {} };
    const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const calls = this.#running.size + this.#held.size;
    expect(this.#world.backend()?.inFlight).toBe(calls);
    expect(calls).toBeLessThanOrEqual(slots + pipeliningDepth);
    expect(received).toBe(waiting + inFlight + ended);
    expect(ended).toBe([...this.#texts.values()].filter((text) => text.ended).length);
    expect(waiting).toBeLessThanOrEqual(this.#setting.streams['text']?.queue?.capacity ?? 1);
  }
}

function play(setting: Setting, steps: readonly Step[]): readonly string[] {
  const played = new Play(setting);
  for (const step of steps) played.run(step);
  return played.reached;
}

const STEPS = fc.array(STEP, { minLength: 10, maxLength: 120, size: 'max' });

test('whatever happens, a text has one outcome, one call at a time, and never more tokens than it may', () => {
  fc.assert(
    fc.property(SETTING, STEPS, (setting, steps) => {
      play(setting, steps);
    }),
    { numRuns: 200 },
  );
}, 60_000);

test('these sequences cut, go on, put off, and break chains in every way', () => {
  const reached = new Set(
    fc.sample(fc.tuple(SETTING, STEPS), { numRuns: 400, seed: 1 }).flatMap(([setting, steps]) => play(setting, steps)),
  );
  const ofChains = ['delivered', 'obsolete', 'chain_broken', 'execution_unknown', 'no_answer', 'withdrawn', 'newer_capture'];
  const wanted = ['whole', 'cut', 'goes on', 'defer', 'predicted_stale of a chain', ...ofChains.map((cause) => `${cause} of a chain`)];
  expect(wanted.filter((one) => !reached.has(one))).toEqual([]);
}, 60_000);
