/** A scenario at another load (scenarios.md 1): the runtimes grow, or the periods shrink. Whole nanoseconds throughout. */
import { bestVariant, type Scenario, type SimulatedStream } from './scenario.js';

const SHORTEST_PERIOD_NS = 5_000_000;

export function atLoad(scenario: Scenario, permille: number | undefined): Scenario {
  if (permille === undefined) return scenario;
  const streams =
    scenario.scale === 'periods'
      ? scenario.streams.map((stream) => withPeriodsAt(stream, permille))
      : scenario.streams.map((stream) => withRuntimesAt(stream, permille, loadPermille(scenario)));
  return { ...scenario, streams };
}

/** What the streams ask of one slot with their best variants, in thousands. */
function loadPermille({ streams }: Scenario): number {
  return streams.reduce((sum, stream) => {
    const p50Ns = stream.variants[bestVariant(stream)]?.p50Ns ?? 0;
    return sum + Math.floor((p50Ns * 1000) / stream.source.periodNs);
  }, 0);
}

function withRuntimesAt(stream: SimulatedStream, permille: number, base: number): SimulatedStream {
  const scale = (ns: number) => Math.floor((ns * permille) / base);
  const variants = stream.variants.map((variant) => ({ ...variant, p50Ns: scale(variant.p50Ns), p99Ns: scale(variant.p99Ns) }));
  return { ...stream, variants };
}

/** Deadline, max age and the consumer follow the period. */
function withPeriodsAt(stream: SimulatedStream, permille: number): SimulatedStream {
  const { source, contract } = stream;
  const periodNs = Math.max(SHORTEST_PERIOD_NS, Math.floor((source.periodNs * 1000) / permille));
  const scale = (ns: number) => Math.floor((ns * periodNs) / source.periodNs);
  const burst = source.burst === undefined ? {} : { burst: { ...source.burst, periodNs: scale(source.burst.periodNs) } };
  return {
    ...stream,
    source: { ...source, periodNs, ...burst },
    contract: {
      ...contract,
      consumerPeriodNs: scale(contract.consumerPeriodNs),
      periodNs: scale(contract.periodNs),
      deadlineNs: scale(contract.deadlineNs),
      maxAgeNs: scale(contract.maxAgeNs),
    },
  };
}
