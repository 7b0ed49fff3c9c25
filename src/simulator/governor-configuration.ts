/** What the governor is told in one run: the scenario's parameters with the numbers of its load, and the ablations. */
import {
  type CoreConfiguration,
  DEFAULT_SCHEDULING,
  type Profile,
  type SchedulingPolicy,
  type StreamConfiguration,
} from '../core/configuration.js';
import { micros } from '../core/units.js';
import { bestVariant, type Scenario, type SimulatedStream, type SimulatedVariant } from './scenario.js';

const NS_PER_US = 1000;

/** Changes what the governor is told; the world stays as it is. */
export type Ablation = (configuration: CoreConfiguration, scenario: Scenario) => CoreConfiguration;

export function governorConfiguration(scenario: Scenario): CoreConfiguration {
  const { governor, streams } = scenario;
  const declared = new Map(streams.map((stream) => [stream.name, stream]));
  return {
    ...governor,
    models: governor.models.map((model) => {
      const stream = declared.get(model.name);
      return {
        ...model,
        variants: model.variants.map((variant) => {
          const runtime = stream?.variants.find(({ name }) => name === variant.name);
          return stream === undefined || runtime === undefined ? variant : { ...variant, profile: profileOf(runtime, stream.profileError) };
        }),
      };
    }),
    streams: governor.streams.map((stream) => withContractOf(declared.get(stream.name), stream)),
  };
}

/** Declared as measured here, in whole microseconds, wrong by as much as the scenario says. */
function profileOf({ p50Ns, p99Ns }: SimulatedVariant, profileError: number): Profile {
  const declare = (ns: number) => micros(Math.max(1, Math.floor((ns * profileError) / NS_PER_US)));
  return { p50Us: declare(p50Ns), p95Us: declare((p50Ns + p99Ns) / 2), p99Us: declare(p99Ns) };
}

/** Periods, deadlines and ages follow the load where it scales them. */
function withContractOf(declared: SimulatedStream | undefined, stream: StreamConfiguration): StreamConfiguration {
  if (declared === undefined) return stream;
  const { periodNs, deadlineNs, maxAgeNs, consumerPeriodNs } = declared.contract;
  const toMicros = (ns: number) => micros(Math.floor(ns / NS_PER_US));
  const period = stream.contract.periodUs === undefined ? {} : { periodUs: toMicros(periodNs) };
  const consumer = stream.contract.consumerPeriodUs === undefined ? {} : { consumerPeriodUs: toMicros(consumerPeriodNs) };
  return {
    ...stream,
    contract: { ...stream.contract, ...period, ...consumer, deadlineUs: toMicros(deadlineNs), maxAgeUs: toMicros(maxAgeNs) },
  };
}

export function scheduledBy(policy: SchedulingPolicy): Ablation {
  return (configuration) => ({ ...configuration, scheduling: { ...DEFAULT_SCHEDULING, ...configuration.scheduling, policy } });
}

/** Without a period nothing is forecast, so there is nothing to look ahead to. */
export const withoutLookAhead: Ablation = (configuration) => ({
  ...configuration,
  streams: configuration.streams.map((stream) => {
    const { periodUs: _, ...contract } = stream.contract;
    return { ...stream, contract };
  }),
});

const ONE_HOUR_US = micros(3_600_000_000);

/** Told that every result stays fresh, it drops nothing by age; the measures still judge by the real contract. */
export const withoutFreshness: Ablation = (configuration) => ({
  ...configuration,
  streams: configuration.streams.map((stream) => ({ ...stream, contract: { ...stream.contract, maxAgeUs: ONE_HOUR_US } })),
});

/** Only the best variant exists. */
export const withoutVariants: Ablation = (configuration, scenario) => ({
  ...configuration,
  models: configuration.models.map((model) => {
    const stream = scenario.streams.find(({ name }) => name === model.name);
    const best = stream?.variants[bestVariant(stream)]?.name;
    return { ...model, variants: model.variants.filter(({ name }) => name === best) };
  }),
});

/** Told that no work can be cut. */
export const withoutQuanta: Ablation = (configuration) => ({
  ...configuration,
  models: configuration.models.map(({ cooperative: _, ...model }) => model),
});

const FIFO_CAPACITY = 16;

/** Frames queue up instead of replacing each other. */
export const withoutSupersession: Ablation = (configuration) => ({
  ...configuration,
  streams: configuration.streams.map((stream) =>
    stream.queue.policy === 'latest' ? { ...stream, queue: { policy: 'fifo', capacity: FIFO_CAPACITY, overflow: 'reject_new' } } : stream,
  ),
});
