/** A sequence of events of the core as a decision script, so that a failure can be looked at with `vig decide` and kept. */
import type { Contract, CoreConfiguration, ModelConfiguration, StreamConfiguration } from '../../src/core/configuration.js';
import { DEFAULT_LEARNING } from '../../src/core/configuration.js';
import type { Arrival, Cancel, Completion, CoreEvent, Timeout } from '../../src/core/events.js';
import { type Micros, micros, millis, plus, requestId } from '../../src/core/units.js';
import { instantMs } from '../../src/decide/decision-line.js';

export interface SentEvent {
  readonly at: Micros;
  readonly event: CoreEvent;
}

type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain | undefined };

/** Names of requests in the script. */
export const scriptName = (request: number): string => `r${request}`;

const NOBODY = requestId(999_999);

function later(event: Completion | Timeout | Cancel | Arrival): CoreEvent {
  return { ...event, request: NOBODY };
}

/**
 * @param events without the wake-ups, which `vig decide` delivers by itself.
 * @param endUs every wake-up up to here is to be seen.
 */
export function scriptOf(configuration: CoreConfiguration, events: readonly SentEvent[], endUs: Micros): string {
  const served = new Map(
    configuration.models.flatMap((model) =>
      model.variants.map((variant) => [variant.backendModel, { model: model.name, variant: variant.name }] as const),
    ),
  );
  const arrived = new Set(events.flatMap(({ event }) => (event.type === 'arrival' ? [event.request] : [])));
  // What names nothing names one that comes when all is over.
  const named = events.map(({ at, event }) => ({ at, event: 'request' in event && !arrived.has(event.request) ? later(event) : event }));
  const lines = named.map(({ at, event }) => ({ at_ms: instantMs(at), ...lineOf(event, served) }));
  const over = instantMs(plus(endUs, millis(1)));
  const nobody = named.some(({ event }) => 'request' in event && event.request === NOBODY);
  const last = nobody ? [{ at_ms: over, arrive: configuration.streams[0]?.name ?? '', id: scriptName(NOBODY) }] : [];
  const all = [{ at_ms: 0, tick: true }, ...lines, { at_ms: over, tick: true }, ...last];
  return `${[...configurationOf(configuration), 'events:', ...all.map((line) => `  - ${flow(line)}`)].join('\n')}\n`;
}

function lineOf(
  event: CoreEvent,
  served: ReadonlyMap<string, { readonly model: string; readonly variant: string }>,
): { readonly [key: string]: Plain } {
  switch (event.type) {
    case 'arrival': {
      const capture = instantMs(event.capture);
      const stamp = instantMs(micros(Number(event.stampNs / 1000n)));
      const own = stamp === capture ? {} : { stamp_ms: stamp };
      return { arrive: event.stream, id: scriptName(event.request), capture_ms: capture, ...own };
    }
    case 'completion': {
      const { end } = event;
      const cause = end.result === 'failed' ? { cause: end.cause } : {};
      const witnessed = end.result === 'unknown' && end.witnessed === true ? { witnessed: true } : {};
      return { complete: scriptName(event.request), result: end.result, ...cause, ...witnessed };
    }
    case 'counter':
      return {
        counter: {
          backend: event.backend,
          backend_model: event.backendModel,
          completed: event.completed,
          polled_at_ms: instantMs(event.polledUs),
        },
      };
    case 'witness':
      return { witness: { backend: event.backend, present: event.present, polled_at_ms: instantMs(event.polledUs) } };
    case 'timeout':
    case 'cancel':
      return { [event.type]: scriptName(event.request) };
    case 'readiness':
      return { ready: { backend: event.backend, ...served.get(event.backendModel), value: event.ready } };
    case 'round_trip':
      return { round_trip: { backend: event.backend, p90_ms: ms(event.p90) } };
    case 'reconfigure': {
      const changes = event.contracts.map(({ stream, contract }) => [stream, { contract: contractOf(contract) }]);
      return { reconfigure: { streams: Object.fromEntries(changes) } };
    }
    case 'clock_jump':
      return { clock_jump_ms: -1 };
    case 'drain':
    case 'drain_limit':
    case 'resume':
    case 'tick':
      return { [event.type]: true };
    case 'restore':
    case 'warm_up':
      throw new Error('a script starts warm, with nothing learned');
  }
}

function configurationOf({ backends, models, streams, overload, learning = DEFAULT_LEARNING, scheduling }: CoreConfiguration): string[] {
  const thresholds = (overload === undefined ? [] : [overload]).map(({ dwellUs, minViolations, enterPermille, leavePermille }) => ({
    enabled: true,
    enter_permille: enterPermille,
    leave_permille: leavePermille,
    dwell_ms: ms(dwellUs),
    min_violations: minViolations,
  }));
  return [
    ...(scheduling === undefined ? [] : [`scheduling: ${flow(snakeCase(scheduling))}`]),
    `learning: ${flow({ margin_percent: learning.marginPercent, adapt: learning.adapt, ceiling_percent: learning.ceilingPercent })}`,
    ...thresholds.map((one) => `overload: ${flow(one)}`),
    'backends:',
    ...backends.map(
      ({ name, slots, pipeliningDepth, pipeliningLeadUs, noCorun }) =>
        `  ${name}: ${flow({ slots, pipelining_depth: pipeliningDepth, pipelining_lead_ms: optional(pipeliningLeadUs), no_corun: noCorun.map((pair) => pair.join('|')) })}`,
    ),
    'models:',
    ...models.map((model) => `  ${model.name}: ${flow(modelOf(model))}`),
    'streams:',
    ...streams.map((stream) => `  ${stream.name}: ${flow(streamOf(stream))}`),
  ];
}

function modelOf({ backend, instances, stateful, variants }: ModelConfiguration): Plain {
  const described = variants.map(({ name, quality, qualitySource, preprocessUs, profile }) => [
    name,
    {
      quality,
      quality_source: qualitySource,
      preprocess_us: preprocessUs,
      ...(profile === undefined ? {} : { profile: { p50_us: profile.p50Us, p95_us: profile.p95Us, p99_us: profile.p99Us } }),
    },
  ]);
  return { backend, instances, stateful, variants: Object.fromEntries(described) };
}

function streamOf({ model, class: streamClass, queue, contract }: StreamConfiguration): Plain {
  return { model, class: streamClass, queue: { ...queue }, contract: contractOf(contract) };
}

/** Whatever a contract has is written down: what is forgotten here would be a script that says something else. */
function contractOf(contract: Contract): Plain {
  const { periodUs, deadlineUs, maxAgeUs, minQuality, variantDwellUs, minRuntime, missBudget, phaseUs, version, ...extension } = contract;
  return {
    period_ms: optional(periodUs),
    deadline_ms: ms(deadlineUs),
    max_age_ms: ms(maxAgeUs),
    min_quality: minQuality,
    variant_dwell_ms: optional(variantDwellUs),
    ...(minRuntime === undefined ? {} : { min_runtime: snakeCase(minRuntime) }),
    extension: {
      ...snakeCase(extension),
      contract_version: version,
      phase_ms: phaseUs === undefined ? undefined : instantMs(phaseUs),
      ...(missBudget === undefined ? {} : { miss_budget: snakeCase(missBudget) }),
    },
  };
}

/** `windowUs: 1000` becomes `window_ms: 1`. */
function snakeCase(group: object): { readonly [key: string]: Plain } {
  return Object.fromEntries(
    Object.entries(group).map(([key, value]) => [
      key.replace(/Us$/, 'Ms').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      key.endsWith('Us') ? ms(value) : value,
    ]),
  );
}

function ms(us: number): number {
  return us / 1000;
}

function optional(us: Micros | undefined): number | undefined {
  return us === undefined ? undefined : ms(us);
}

function flow(value: Plain): string {
  if (typeof value === 'string') return /^[a-z][a-z0-9_.]*$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  const entries = Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [`${key}: ${flow(one)}`]));
  return `{${entries.join(', ')}}`;
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}
