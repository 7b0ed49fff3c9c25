/** Parameters in the units and words of the core. */
import type {
  BackendConfiguration,
  CoreConfiguration,
  ModelConfiguration,
  OverloadConfiguration,
  Profile,
  StreamConfiguration,
  VariantConfiguration,
} from '../core/configuration.js';
import { micros, millis } from '../core/units.js';
import { CORUN_PAIR } from './backend-schema.js';
import type { BackendParameters, ModelParameters, OverloadParameters, Parameters, StreamParameters, VariantParameters } from './schema.js';

export function toCoreConfiguration(parameters: Parameters): CoreConfiguration {
  return {
    backends: Object.entries(parameters.backends).map(([name, backend]) => toBackend(name, backend)),
    models: Object.entries(parameters.models).map(([name, model]) => toModel(name, model)),
    streams: Object.entries(parameters.streams).map(([name, stream]) => toStream(name, stream)),
    ...(parameters.overload.enabled ? { overload: toOverload(parameters.overload) } : {}),
    learning: {
      marginPercent: parameters.learning.margin_percent,
      adapt: parameters.learning.adapt,
      ceilingPercent: parameters.learning.ceiling_percent,
    },
    scheduling: { protectSupply: parameters.scheduling.protect_supply },
  };
}

function toOverload(overload: OverloadParameters): OverloadConfiguration {
  return {
    enterPermille: overload.enter_permille,
    leavePermille: overload.leave_permille,
    dwellUs: millis(overload.dwell_ms),
    minViolations: overload.min_violations,
  };
}

function toBackend(name: string, backend: BackendParameters): BackendConfiguration {
  const lead = backend.pipelining_lead_ms;
  return {
    name,
    slots: backend.slots,
    pipeliningDepth: backend.pipelining_depth,
    ...(lead === undefined ? {} : { pipeliningLeadUs: millis(lead) }),
    noCorun: backend.no_corun.map((pair) => {
      const [, first = '', second = ''] = CORUN_PAIR.exec(pair) ?? [];
      return [first, second];
    }),
  };
}

/** Instances that nobody configured are told by the server, when a model becomes ready. */
function toModel(name: string, { backend, instances, stateful, variants }: ModelParameters): ModelConfiguration {
  return {
    name,
    backend,
    ...(instances === undefined ? {} : { instances }),
    stateful,
    variants: Object.entries(variants).map(([variant, value]) => toVariant(variant, value)),
  };
}

function toVariant(name: string, variant: VariantParameters): VariantConfiguration {
  const { backend_model: backendModel, quality, quality_source: qualitySource, preprocess_us: preprocess, profile } = variant;
  return {
    name,
    backendModel,
    quality,
    qualitySource,
    preprocessUs: micros(preprocess),
    ...(profile === undefined ? {} : { profile: toProfile(profile) }),
  };
}

/** Nothing in the file says where it was measured, and silence is not agreement. */
function toProfile({ p50_us: p50, p95_us: p95, p99_us: p99 }: NonNullable<VariantParameters['profile']>): Profile {
  return { p50Us: micros(p50), p95Us: micros(p95), p99Us: micros(p99), unverified: true };
}

function toStream(name: string, stream: StreamParameters): StreamConfiguration {
  const { period_ms: period, deadline_ms: deadline, max_age_ms: maxAge, extension } = stream.contract;
  return {
    name,
    model: stream.model,
    class: stream.class,
    queue: stream.queue,
    contract: {
      ...(period === undefined ? {} : { periodUs: millis(period) }),
      deadlineUs: millis(deadline),
      maxAgeUs: millis(maxAge),
      minQuality: stream.contract.min_quality,
      variantDwellUs: millis(stream.contract.variant_dwell_ms),
      releaseJitterUs: millis(extension.release_jitter_ms),
      ...(extension.approved_variants === undefined ? {} : { approvedVariants: extension.approved_variants }),
    },
  };
}
