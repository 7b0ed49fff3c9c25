import { expect, test } from 'vitest';
import type { Contract, CoreConfiguration, StreamConfiguration } from '../../src/core/configuration.js';
import { DEFAULT_DWELL_US } from '../../src/core/configuration.js';
import { micros } from '../../src/core/units.js';
import { POLICIES } from './policies.js';
import type { Step } from './random-steps.js';
import { forEverySequence, play, TIMEOUT_MS } from './sequences.js';
import type { World } from './world.js';

/** What was decided when; that something is looked at earlier than it must be decides nothing. */
const decisions = ({ told }: World): unknown[] => told.filter(({ action }) => action.type !== 'wake' && action.type !== 'violation');

/** Events at their own instants, whenever the core wants to be woken. */
const fixed = (steps: readonly Step[]): Step[] => steps.map((step) => (step.kind === 'wake' ? { ...step, kind: 'pause' } : step));

interface Change {
  readonly what: string;
  readonly change: (configuration: CoreConfiguration) => CoreConfiguration;
}

function withContracts(
  configuration: CoreConfiguration,
  change: (contract: Contract, stream: StreamConfiguration) => Contract,
): CoreConfiguration {
  return { ...configuration, streams: configuration.streams.map((stream) => ({ ...stream, contract: change(stream.contract, stream) })) };
}

const ofContracts = (what: string, contract: (stream: StreamConfiguration, of: CoreConfiguration) => Contract) => ({
  what,
  change: (configuration: CoreConfiguration) => withContracts(configuration, (_, stream) => contract(stream, configuration)),
});

/** Each says what holds anyway, or asks for nothing. */
const CHANGES: readonly Change[] = [
  ofContracts('what a contract means without saying so', ({ contract, model }, { models }) => ({
    releaseJitterUs: micros(0),
    minQuality: 0,
    variantDwellUs: DEFAULT_DWELL_US,
    deliveryBoundary: 'governor',
    deliverySemantics: 'latest_state',
    requireNewSampleEachCycle: false,
    evidenceRequired: 'observed',
    approvedVariants: models.find(({ name }) => name === model)?.variants.map(({ name }) => name) ?? [],
    ...contract,
  })),
  ofContracts('a floor of nothing', ({ contract, class: streamClass }) =>
    streamClass === 'high' || streamClass === 'protected'
      ? contract
      : { minRuntime: { budgetUs: micros(0), windowUs: micros(50_000), guarantee: 'firm' }, ...contract },
  ),
  {
    what: 'an extra credit that is not there',
    change: (configuration) => ({
      ...configuration,
      backends: configuration.backends.map((one) => (one.pipeliningDepth > 0 ? one : { ...one, pipeliningLeadUs: micros(1) })),
    }),
  },
  {
    what: 'as many instances as there are slots',
    change: ({ backends, models, ...rest }) => ({
      ...rest,
      backends,
      models: models.map((model) => ({ instances: backends.find(({ name }) => name === model.backend)?.slots ?? 1, ...model })),
    }),
  },
  {
    what: 'a ceiling that nothing learned can reach',
    change: (configuration) => {
      const { learning } = configuration;
      return learning === undefined || learning.adapt
        ? configuration
        : { ...configuration, learning: { ...learning, ceilingPercent: 999 } };
    },
  },
];

const cases = POLICIES.flatMap((policy) => CHANGES.map((one) => ({ ...one, policy, name: policy.name })));

test.each(cases)(
  '$what changes no decision ($name)',
  ({ policy, change }) => {
    forEverySequence(policy, 40, (configuration, steps, late) => {
      expect(decisions(play(change(configuration), fixed(steps), late))).toEqual(decisions(play(configuration, fixed(steps), late)));
    });
  },
  TIMEOUT_MS,
);

/** It reports, it enforces nothing; only a margin that learns follows it. */
test.each(POLICIES)(
  'a miss budget changes no decision ($name)',
  (policy) => {
    forEverySequence(policy, 60, ({ learning: _, ...rest }, steps, late) => {
      const configuration = { ...rest, learning: { marginPercent: 110, adapt: false, ceilingPercent: 300 } };
      const without = withContracts(configuration, (contract) => ({ consumerPeriodUs: micros(7_000), ...contract }));
      const watched = withContracts(without, (contract) => ({
        missBudget: { maxMisses: 1, windowCycles: 4, maxConsecutive: 0 },
        ...contract,
      }));
      expect(decisions(play(watched, fixed(steps), late))).toEqual(decisions(play(without, fixed(steps), late)));
    });
  },
  TIMEOUT_MS,
);

/** Of guarded frames that are expected, or kept from starting, the core looks at the bounds only: when they are given up, when they are late. */
function unhindered({ backends, models, streams, overload, ...rest }: CoreConfiguration): CoreConfiguration {
  return {
    ...rest,
    backends: backends.map((backend) => ({ ...backend, noCorun: [] })),
    models: models.map(({ instances: _, ...model }) => model),
    streams: streams.map(({ contract: { periodUs: _, ...contract }, ...stream }) => ({ ...stream, contract })),
    // Without a dwell every look takes a step.
    ...(overload === undefined ? {} : { overload: { ...overload, dwellUs: micros(overload.dwellUs + 1) } }),
  };
}

const setsPeriod = ({ kind, pick }: Step): boolean => kind === 'reconfigure' && pick % 9 === 2;

test.each(POLICIES)(
  'looking at other instants than the core asked for changes no decision ($name)',
  (policy) => {
    forEverySequence(policy, 100, (configuration, steps) => {
      const looking = (kind: 'tick' | 'pause') =>
        fixed(steps.filter((step) => !setsPeriod(step))).flatMap((step): Step[] => [
          { ...step, kind, afterUs: step.afterUs >> 1 },
          { ...step, afterUs: step.afterUs - (step.afterUs >> 1) },
        ]);
      const decided = (kind: 'tick' | 'pause') => decisions(play(unhindered(configuration), looking(kind), false));
      expect(decided('tick')).toEqual(decided('pause'));
    });
  },
  TIMEOUT_MS,
);
