/** Random configurations of the core: everything that bears on decisions, and nothing that would be refused. */
import fc from 'fast-check';
import type {
  BackendConfiguration,
  Contract,
  CoreConfiguration,
  MinRuntime,
  ModelConfiguration,
  OverloadConfiguration,
  SchedulingConfiguration,
  StreamConfiguration,
} from '../../src/core/configuration.js';
import { CLASSES, DELIVERY_BOUNDARIES, GUARANTEES, isGuarded, OVERFLOW_POLICIES, QUEUE_POLICIES } from '../../src/core/configuration.js';
import type { MissBudget } from '../../src/core/miss-budget.js';
import { CLOCK_ORIGIN_US, micros, plus } from '../../src/core/units.js';

const durationUs = (minimum: number, maximum: number) => fc.integer({ min: minimum, max: maximum }).map((value) => micros(value));

/** @param scheduling `protectSupply` is drawn on top of it. */
export function configurations(scheduling: SchedulingConfiguration): fc.Arbitrary<CoreConfiguration> {
  return fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }).chain((modelCounts) => {
    const names = modelCounts.map((count, backend) => Array.from({ length: count }, (_, i) => `model${backend}${i}`));
    return fc.tuple(...names.flatMap((own, i) => own.map((name) => modelOf(name, `backend${i}`)))).chain((models) =>
      fc.record({
        overload: OVERLOAD,
        learning: fc.record({
          marginPercent: fc.constantFrom(100, 110, 150),
          adapt: fc.boolean(),
          ceilingPercent: fc.constantFrom(150, 300),
        }),
        scheduling: fc.boolean().map((protectSupply) => ({ ...scheduling, protectSupply })),
        backends: fc.tuple(...names.map((own, i) => backendOf(i, own))),
        models: fc.constant(models),
        streams: fc
          .integer({ min: 1, max: 5 })
          .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => streamOf(`stream${i}`, models)))),
      }),
    );
  });
}

function backendOf(index: number, models: readonly string[]): fc.Arbitrary<BackendConfiguration> {
  const pairs = models.flatMap((one, i) => models.slice(i + 1).map((other) => [one, other] as const));
  return fc
    .record({
      slots: fc.integer({ min: 1, max: 3 }),
      pipeliningDepth: fc.integer({ min: 0, max: 2 }),
      lead: fc.option(durationUs(0, 12_000), { nil: undefined }),
      noCorun: pairs.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...pairs), { maxLength: 2 }),
    })
    .map(({ lead, ...rest }) => ({ name: `backend${index}`, ...rest, ...given('pipeliningLeadUs', lead) }));
}

function modelOf(name: string, backend: string): fc.Arbitrary<ModelConfiguration> {
  const variant = fc.record({
    quality: fc.constantFrom(0.5, 0.8, 1),
    qualitySource: fc.constantFrom('measured', 'measured', 'declared', 'unknown'),
    preprocessUs: fc.oneof(fc.constant(micros(0)), durationUs(0, 3_000)),
    p50: fc.option(durationUs(1, 20_000), { nil: undefined }),
    spread: fc.integer({ min: 0, max: 10_000 }),
  });
  return fc
    .record({
      instances: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      stateful: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      variants: fc.array(variant, { minLength: 1, maxLength: 3 }),
    })
    .map(({ instances, stateful, variants }) => ({
      name,
      backend,
      stateful,
      ...given('instances', instances),
      variants: variants.map(({ quality, qualitySource, preprocessUs, p50, spread }, i) => ({
        name: `v${i}`,
        backendModel: `${name}_v${i}`,
        // The first one meets every minimum: a contract may approve it alone.
        quality: i === 0 ? 1 : quality,
        qualitySource,
        preprocessUs,
        ...(p50 === undefined ? {} : { profile: { p50Us: p50, p95Us: micros(p50 + (spread >> 1)), p99Us: micros(p50 + spread) } }),
      })),
    }));
}

function streamOf(name: string, models: readonly ModelConfiguration[]): fc.Arbitrary<StreamConfiguration> {
  return fc
    .record({
      model: fc.constantFrom(...models),
      class: fc.constantFrom(...CLASSES),
      policy: fc.constantFrom(...QUEUE_POLICIES),
      capacity: fc.integer({ min: 1, max: 4 }),
      overflow: fc.constantFrom(...OVERFLOW_POLICIES),
      terms: TERMS,
      consumer: fc.option(CONSUMER, { nil: undefined }),
      minRuntime: fc.option(MIN_RUNTIME, { nil: undefined, freq: 2 }),
    })
    .map(({ model, class: streamClass, policy: drawn, capacity, overflow, terms, consumer, minRuntime }) => {
      const policy = model.stateful && drawn === 'latest' ? 'fifo' : drawn;
      return {
        name,
        model: model.name,
        class: streamClass,
        queue: {
          policy,
          capacity: policy === 'latest' ? 1 : capacity,
          overflow: policy === 'fifo' && !isGuarded(streamClass) ? overflow : 'reject_new',
        },
        contract: {
          ...terms,
          ...consumer,
          ...(policy === 'latest' ? {} : { deliverySemantics: 'every_event' }),
          ...(isGuarded(streamClass) ? {} : given('minRuntime', minRuntime)),
        },
      };
    });
}

const TERMS: fc.Arbitrary<Contract> = fc
  .record({
    period: fc.option(durationUs(1_000, 30_000), { nil: undefined }),
    deadlineUs: durationUs(1_000, 60_000),
    maxAgeUs: durationUs(1_000, 60_000),
    releaseJitterUs: fc.oneof(fc.constant(micros(0)), durationUs(0, 5_000)),
    minQuality: fc.constantFrom(0, 0.6, 1),
    variantDwellUs: durationUs(0, 50_000),
    approved: fc.constantFrom(undefined, undefined, ['v0']),
    version: fc.nat(3),
  })
  .map(({ period, approved, ...rest }) => ({ ...rest, ...given('periodUs', period), ...given('approvedVariants', approved) }));

/** A window of a few cycles is broken and kept again within one sequence. */
const MISS_BUDGET: fc.Arbitrary<MissBudget> = fc
  .record({ windowCycles: fc.integer({ min: 1, max: 12 }), misses: fc.nat(11), row: fc.nat(11), mandatoryCycles: fc.boolean() })
  .map(({ windowCycles, misses, row, mandatoryCycles }) => {
    const maxMisses = misses % windowCycles;
    return { maxMisses, windowCycles, maxConsecutive: row % (maxMisses + 1), mandatoryCycles };
  });

const CONSUMER: fc.Arbitrary<Partial<Contract>> = fc
  .record({
    consumerPeriodUs: durationUs(1_000, 30_000),
    phase: fc.option(durationUs(0, 30_000), { nil: undefined }),
    deliveryBoundary: fc.constantFrom(...DELIVERY_BOUNDARIES),
    requireNewSampleEachCycle: fc.boolean(),
    missBudget: fc.option(MISS_BUDGET, { nil: undefined }),
  })
  .map(({ phase, missBudget, ...rest }) => ({
    ...rest,
    ...(phase === undefined ? {} : { phaseUs: plus(CLOCK_ORIGIN_US, phase) }),
    ...given('missBudget', missBudget),
  }));

const MIN_RUNTIME: fc.Arbitrary<MinRuntime> = fc
  .record({ budgetUs: durationUs(1, 30_000), rest: fc.integer({ min: 0, max: 60_000 }), guarantee: fc.constantFrom(...GUARANTEES) })
  .map(({ budgetUs, rest, guarantee }) => ({ budgetUs, windowUs: micros(budgetUs + rest), guarantee }));

/** Thresholds and a dwell that short sequences reach. */
const OVERLOAD: fc.Arbitrary<OverloadConfiguration> = fc
  .record({ enter: fc.integer({ min: 1, max: 100 }), dwellUs: durationUs(0, 20_000), minViolations: fc.integer({ min: 1, max: 3 }) })
  .map(({ enter, dwellUs, minViolations }) => ({
    enterPermille: [enter, enter + 1, 2 * enter + 1, 3 * enter + 1],
    leavePermille: [0, enter - 1, enter, 2 * enter],
    dwellUs,
    minViolations,
  }));

/**
 * Another contract for a stream. It has every term that the one before had: what a script leaves out stays as it is.
 * @param pick which term changes.
 * @param us what it becomes.
 */
export function changedContract({ class: streamClass, contract }: StreamConfiguration, pick: number, us: number): Contract {
  const positive = micros(us + 1);
  switch (pick % 9) {
    case 0:
      return { ...contract, maxAgeUs: micros(2 * us + 1_000) };
    case 1:
      return { ...contract, deadlineUs: micros(us + 1_000) };
    case 2:
      return { ...contract, periodUs: micros(us + 1_000) };
    case 3:
      return { ...contract, minQuality: us % 3 === 0 ? 1 : 0, version: us % 1000 };
    case 4:
      return { ...contract, approvedVariants: ['v0'] };
    case 5:
      return { ...contract, variantDwellUs: micros(us), releaseJitterUs: micros(us >> 2) };
    case 6:
      return { ...contract, consumerPeriodUs: micros(us + 1_000), deliveryBoundary: us % 2 === 0 ? 'consumer' : 'governor' };
    case 7: {
      const windowCycles = 1 + (us % 12);
      const missBudget = { ...contract.missBudget, maxMisses: windowCycles >> 1, windowCycles, maxConsecutive: 0 };
      return { ...contract, consumerPeriodUs: contract.consumerPeriodUs ?? micros(us + 1_000), missBudget };
    }
    default: {
      if (isGuarded(streamClass)) return { ...contract, maxAgeUs: positive };
      const guarantee = us % 2 === 0 ? 'firm' : 'spare';
      return { ...contract, minRuntime: { budgetUs: positive, windowUs: plus(positive, contract.maxAgeUs), guarantee } };
    }
  }
}

/** A key only where there is a value. */
function given<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
