import { describe, expect, test } from 'vitest';
import { toCoreConfiguration, withUnverifiedProfiles } from '../../src/config/core-configuration.js';
import { FIELDS } from '../../src/config/fields.js';
import { flattenParameters } from '../../src/config/flatten.js';
import { subscriptionQos } from '../../src/config/subscription-qos.js';
import { DEFAULT_LEARNING, DEFAULT_OVERLOAD, DEFAULT_SCHEDULING } from '../../src/core/configuration.js';
import { micros } from '../../src/core/units.js';
import { configure } from './configure.js';

const V = 'models.detector.variants';
const PLAIN = { name: 'full', backendModel: 'centerface', version: '', quality: 1, qualitySource: 'unknown', preprocessUs: 0 };

describe('for the core', () => {
  test('in its units, absent things absent', () => {
    expect(toCoreConfiguration(configure())).toEqual({
      backends: [{ name: 'gpu', slots: 1, pipeliningDepth: 1, trust: 'open', noCorun: [] }],
      models: [{ name: 'detector', backend: 'gpu', stateful: false, variants: [PLAIN] }],
      streams: [
        {
          name: 'front',
          model: 'detector',
          class: 'normal',
          queue: { policy: 'latest', capacity: 1, overflow: 'reject_new' },
          contract: {
            deadlineUs: 100_000,
            maxAgeUs: 100_000,
            minQuality: 0,
            variantDwellUs: 100_000,
            releaseJitterUs: 0,
            deliveryBoundary: 'governor',
            deliverySemantics: 'latest_state',
            requireNewSampleEachCycle: false,
            version: 0,
            evidenceRequired: 'observed',
          },
        },
      ],
      learning: DEFAULT_LEARNING,
      scheduling: { ...DEFAULT_SCHEDULING, policy: 'planned', strictClasses: false },
      overload: DEFAULT_OVERLOAD,
    });
  });

  test('overload thresholds, or none when it is off', () => {
    const changes = { 'overload.enter_permille': '[1, 2, 3, 4]', 'overload.leave_permille': '[0, 1, 2, 3]', 'overload.dwell_ms': '5' };
    const overload = { enterPermille: [1, 2, 3, 4], leavePermille: [0, 1, 2, 3], dwellUs: 5000, minViolations: 7 };
    expect(toCoreConfiguration(configure({ ...changes, 'overload.min_violations': '7' })).overload).toEqual(overload);
    expect(toCoreConfiguration(configure({ 'overload.enabled': 'false' }))).not.toHaveProperty('overload');
  });

  test('with everything that can be said', () => {
    const parameters = configure({
      'backends.gpu.slots': '2',
      'backends.gpu.pipelining_depth': '0',
      'backends.gpu.trust': 'strict',
      'backends.gpu.pipelining_lead_ms': '1.5',
      'backends.gpu.no_corun': '["detector|other"]',
      'models.other.backend': 'gpu',
      'models.other.variants.full.backend_model': 'other',
      [`${V}.full.quality`]: '0.5',
      [`${V}.full.profile.p50_us`]: '1',
      [`${V}.full.profile.p95_us`]: '2',
      [`${V}.full.profile.p99_us`]: '3',
      [`${V}.full.quality_source`]: 'measured',
      [`${V}.full.preprocess_us`]: '2400',
      'models.detector.stateful': 'true',
      'streams.front.contract.min_quality': '0.4',
      'streams.front.contract.variant_dwell_ms': '250',
      'streams.front.contract.extension.release_jitter_ms': '2',
      'streams.front.contract.extension.approved_variants': '[full]',
      'learning.margin_percent': '120',
      'learning.adapt': 'false',
      'learning.ceiling_percent': '200',
      'scheduling.protect_supply': 'true',
      'streams.front.class': 'high',
      'streams.front.queue.policy': 'fifo',
      'streams.front.queue.capacity': '3',
      'streams.front.contract.period_ms': '33.3333',
      'streams.front.contract.deadline_ms': '50',
    });
    const core = toCoreConfiguration(parameters);
    expect(core.backends).toEqual([
      { name: 'gpu', slots: 2, pipeliningDepth: 0, pipeliningLeadUs: 1500, trust: 'strict', noCorun: [['detector', 'other']] },
    ]);
    const profile = { p50Us: 1, p95Us: 2, p99Us: 3 };
    expect(core.models[0]).toMatchObject({
      stateful: true,
      variants: [{ ...PLAIN, quality: 0.5, qualitySource: 'measured', preprocessUs: 2400, profile }],
    });
    expect(withUnverifiedProfiles(core).models[0]?.variants[0]?.profile).toEqual({ ...profile, unverified: true });
    expect(core.learning).toEqual({ marginPercent: 120, adapt: false, ceilingPercent: 200 });
    expect(core.scheduling).toEqual({ protectSupply: true, policy: 'planned', strictClasses: false });
    expect(core.streams[0]).toMatchObject({
      class: 'high',
      queue: { policy: 'fifo', capacity: 3 },
      contract: {
        periodUs: 33_333,
        deadlineUs: 50_000,
        maxAgeUs: 100_000,
        minQuality: 0.4,
        variantDwellUs: 250_000,
        releaseJitterUs: 2_000,
        approvedVariants: ['full'],
      },
    });
  });

  test('cycles in ROS time, the miss budget and the floor', () => {
    const at = 'streams.front.contract.extension';
    const parameters = configure({
      'streams.front.queue.policy': 'never_drop',
      [`${at}.consumer_period_ms`]: '33.3',
      [`${at}.phase_ms`]: '5',
      [`${at}.delivery_boundary`]: 'consumer',
      [`${at}.delivery_semantics`]: 'every_event',
      [`${at}.require_new_sample_each_cycle`]: 'true',
      [`${at}.miss_budget.max_misses`]: '2',
      [`${at}.miss_budget.window_cycles`]: '100',
      [`${at}.miss_budget.mandatory_cycles`]: 'true',
      'streams.front.contract.min_runtime.budget_ms': '300',
      'streams.front.contract.min_runtime.window_ms': '1000',
      'streams.front.contract.min_runtime.guarantee': 'firm',
    });
    expect(toCoreConfiguration(parameters, micros(7_000)).streams[0]?.contract).toMatchObject({
      consumerPeriodUs: 33_300,
      phaseUs: 12_000,
      deliveryBoundary: 'consumer',
      deliverySemantics: 'every_event',
      requireNewSampleEachCycle: true,
      missBudget: { maxMisses: 2, windowCycles: 100, maxConsecutive: 2, mandatoryCycles: true },
      minRuntime: { budgetUs: 300_000, windowUs: 1_000_000, guarantee: 'firm' },
    });
  });

  test('instances only where they are configured', () => {
    const core = toCoreConfiguration(configure({ 'models.detector.instances': '3' }));
    expect(core.models[0]?.instances).toBe(3);
  });
});

describe('for a ROS node', () => {
  const flat = flattenParameters(configure({ 'streams.front.contract.max_age_ms': '100', 'backends.gpu.no_corun': '[]' }));
  const named = (name: string) => flat.find((parameter) => parameter.name === name);

  test('flat, typed and described', () => {
    expect(named('backends.gpu.slots')).toEqual({
      name: 'backends.gpu.slots',
      kind: 'integer',
      value: 1,
      description: expect.stringContaining('Executions at the same time'),
      range: { min: 1, max: 256 },
      constraints: '',
      readOnly: true,
    });
    expect(named('streams.front.contract.max_age_ms')).toMatchObject({
      kind: 'double',
      value: 100,
      readOnly: false,
      description: expect.stringContaining('[ms]'),
    });
    expect(named('streams.front.class')).toMatchObject({
      kind: 'string',
      value: 'normal',
      constraints: 'one of best_effort, normal, high, protected',
    });
    expect(named('backends.gpu.no_corun')).toMatchObject({ kind: 'string_array', value: [] });
    expect(named('models.detector.input.mean')).toMatchObject({ kind: 'double_array', value: [] });
    expect(named('models.detector.input.mean')).not.toHaveProperty('range');
  });

  test('values are of the kind they claim', () => {
    const is = {
      bool: (value: unknown) => typeof value === 'boolean',
      integer: Number.isSafeInteger,
      double: Number.isFinite,
      string: (value: unknown) => typeof value === 'string',
      string_array: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
      double_array: (value: unknown) => Array.isArray(value) && value.every(Number.isFinite),
      integer_array: (value: unknown) => Array.isArray(value) && value.every(Number.isSafeInteger),
    };
    expect(flat.filter(({ kind, value }) => !is[kind](value))).toEqual([]);
  });

  test('everything that has a value, derived defaults included, and nothing else', () => {
    const pattern = (name: string) => name.replace(/^(backends|models|streams)\.\w+/, '$1.*').replace('variants.full', 'variants.*');
    const filled = ['streams.*.queue.capacity', 'streams.*.contract.deadline_ms'];
    const expected = FIELDS.filter(({ path, required, default: value }) => {
      if (['profile', 'min_runtime', 'miss_budget', 'tls'].some((group) => path.includes(group))) return false;
      return value !== undefined || filled.includes(path.join('.')) || required;
    });
    expect(flat.map(({ name }) => pattern(name))).toEqual(expected.map(({ path }) => path.join('.')));
    expect(named('streams.front.contract.deadline_ms')?.value).toBe(100);
  });
});

describe('for the subscription', () => {
  test.each([
    ['latest', 'auto', undefined, { reliability: 'best_effort', depth: 1 }],
    ['fifo', 'auto', undefined, { reliability: 'best_effort', depth: 7 }],
    ['never_drop', 'auto', undefined, { reliability: 'reliable', depth: 7 }],
    ['never_drop', 'sensor_data', undefined, { reliability: 'best_effort', depth: 7 }],
    ['latest', 'reliable', undefined, { reliability: 'reliable', depth: 1 }],
    ['latest', 'auto', '5', { reliability: 'best_effort', depth: 5 }],
  ])('%s, preset %s, depth %s', (policy, preset, depth, qos) => {
    const parameters = configure({
      'streams.front.queue.policy': policy,
      'streams.front.queue.capacity': policy === 'latest' ? '1' : '7',
      'streams.front.qos.preset': preset,
      'streams.front.qos.depth': depth,
    });
    const stream = parameters.streams['front'];
    expect(stream === undefined ? undefined : subscriptionQos(stream)).toEqual(qos);
  });
});
