import type { CoreConfiguration, ModelConfiguration } from '../core/configuration.js';
import type { Scenario, SimulatedStream, Source } from './scenario.js';
import type { ScenarioEntry, StreamEntry } from './scenario-schema.js';

const NS_PER_US = 1000;

/** A checked entry and what the governor makes of it, in the units of the simulator. */
export function toScenario(entry: ScenarioEntry, governor: CoreConfiguration): Scenario {
  const backend = governor.backends[0];
  if (backend === undefined) throw new Error('a scenario has one backend');
  return {
    name: entry.name,
    runNs: nanoseconds(entry.run_ms),
    backend: {
      slots: backend.slots,
      pipeliningDepth: backend.pipeliningDepth,
      roundTripNs: nanoseconds(entry.backend.round_trip_ms),
      dispatchGapNs: nanoseconds(entry.backend.dispatch_gap_ms),
    },
    scale: entry.scale,
    loads: entry.load_permille ?? [undefined],
    seeds: entry.seeds,
    policies: entry.policies,
    streams: Object.entries(entry.streams).map(([name, stream]) => toStream(name, stream, governor)),
    governor,
  };
}

function toStream(name: string, entry: StreamEntry, governor: CoreConfiguration): SimulatedStream {
  const told = governor.streams.find((stream) => stream.name === name);
  const model = governor.models.find((candidate) => candidate.name === name);
  if (told === undefined || model === undefined) throw new Error(`the governor was not told of stream "${name}"`);
  const { periodUs, deadlineUs, maxAgeUs, consumerPeriodUs, phaseUs = 0 } = told.contract;
  const periodNs = periodUs === undefined ? nanoseconds(entry.source.period_ms) : periodUs * NS_PER_US;
  return {
    name,
    class: told.class,
    queue: { capacity: told.queue.capacity, replaces: told.queue.policy === 'latest' || told.queue.overflow === 'reject_oldest' },
    source: toSource(entry.source),
    contract: {
      periodNs,
      deadlineNs: deadlineUs * NS_PER_US,
      maxAgeNs: maxAgeUs * NS_PER_US,
      consumerPeriodNs: consumerPeriodUs === undefined ? periodNs : consumerPeriodUs * NS_PER_US,
      consumerPhaseNs: phaseUs * NS_PER_US,
    },
    variants: Object.entries(entry.variants).map(([variant, { p50_ms, p99_ms }]) => ({
      name: variant,
      quality: model.variants.find((candidate) => candidate.name === variant)?.quality ?? 1,
      p50Ns: nanoseconds(p50_ms),
      p99Ns: nanoseconds(p99_ms),
    })),
    profileError: entry.profile_error,
    failurePermille: entry.failure_permille,
    ...toGenerating(entry.source, model),
  };
}

function toGenerating(
  { prompt_tokens, max_tokens }: StreamEntry['source'],
  { cooperative }: ModelConfiguration,
): Pick<SimulatedStream, 'generating'> {
  if (cooperative === undefined) return {};
  const tokens = Math.min(max_tokens ?? cooperative.maxTotalTokens, cooperative.maxTotalTokens);
  return { generating: { promptTokens: prompt_tokens ?? 0, tokens, cooperative } };
}

function toSource({ period_ms, jitter_ms, transport_ms, phase_ms, burst, stop_ms }: StreamEntry['source']): Source {
  return {
    periodNs: nanoseconds(period_ms),
    jitterNs: nanoseconds(jitter_ms),
    transportNs: nanoseconds(transport_ms),
    phaseNs: nanoseconds(phase_ms),
    ...(burst === undefined
      ? {}
      : { burst: { everyNs: nanoseconds(burst.every_ms), forNs: nanoseconds(burst.for_ms), periodNs: nanoseconds(burst.period_ms) } }),
    ...(stop_ms === undefined ? {} : { stopNs: nanoseconds(stop_ms) }),
  };
}

function nanoseconds(ms: number): number {
  return Math.round(ms * 1_000_000);
}
