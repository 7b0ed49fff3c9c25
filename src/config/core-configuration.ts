/** Parameters in the units and words of the core. */
import type {
  BackendConfiguration,
  Contract,
  CoreConfiguration,
  MinRuntime,
  ModelConfiguration,
  OverloadConfiguration,
  Profile,
  StreamConfiguration,
  VariantConfiguration,
} from '../core/configuration.js';
import type { MissBudget } from '../core/miss-budget.js';
import { type Micros, micros, millis, plus } from '../core/units.js';
import { CORUN_PAIR } from './backend-schema.js';
import type {
  BackendParameters,
  ContractParameters,
  ModelParameters,
  OverloadParameters,
  Parameters,
  StreamParameters,
  VariantParameters,
} from './schema.js';

/** @param rosEpochUs instant zero of ROS time on the core clock, for what contracts declare in ROS time. */
export function toCoreConfiguration(parameters: Parameters, rosEpochUs: Micros = micros(0)): CoreConfiguration {
  return {
    backends: Object.entries(parameters.backends).map(([name, backend]) => toBackend(name, backend)),
    models: Object.entries(parameters.models).map(([name, model]) => toModel(name, model)),
    streams: Object.entries(parameters.streams).map(([name, stream]) => toStream(name, stream, rosEpochUs)),
    ...(parameters.overload.enabled ? { overload: toOverload(parameters.overload) } : {}),
    learning: {
      marginPercent: parameters.learning.margin_percent,
      adapt: parameters.learning.adapt,
      ceilingPercent: parameters.learning.ceiling_percent,
    },
    scheduling: {
      protectSupply: parameters.scheduling.protect_supply,
      policy: parameters.scheduling.policy,
      strictClasses: parameters.scheduling.strict_classes,
    },
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
    trust: backend.trust,
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
  const { backend_model: backendModel, version, quality, quality_source: qualitySource, preprocess_us: preprocess, profile } = variant;
  return {
    name,
    backendModel,
    version,
    quality,
    qualitySource,
    preprocessUs: micros(preprocess),
    ...(profile === undefined ? {} : { profile: toProfile(profile) }),
  };
}

function toProfile({ p50_us: p50, p95_us: p95, p99_us: p99 }: NonNullable<VariantParameters['profile']>): Profile {
  return { p50Us: micros(p50), p95Us: micros(p95), p99Us: micros(p99) };
}

/** For a live server: nothing in the file says that its profiles were measured there, and silence is not agreement. */
export function withUnverifiedProfiles(configuration: CoreConfiguration): CoreConfiguration {
  const unverified = (variant: VariantConfiguration) =>
    variant.profile === undefined ? variant : { ...variant, profile: { ...variant.profile, unverified: true } };
  return { ...configuration, models: configuration.models.map((model) => ({ ...model, variants: model.variants.map(unverified) })) };
}

export function toStream(name: string, stream: StreamParameters, rosEpochUs: Micros = micros(0)): StreamConfiguration {
  return { name, model: stream.model, class: stream.class, queue: stream.queue, contract: toContract(stream.contract, rosEpochUs) };
}

/** @param rosEpochUs instant zero of ROS time on the core clock: cycles are declared in ROS time. */
export function toContract(contract: ContractParameters, rosEpochUs: Micros = micros(0)): Contract {
  const { period_ms: period, min_runtime: floor, extension } = contract;
  return {
    ...(period === undefined ? {} : { periodUs: millis(period) }),
    deadlineUs: millis(contract.deadline_ms),
    maxAgeUs: millis(contract.max_age_ms),
    minQuality: contract.min_quality,
    variantDwellUs: millis(contract.variant_dwell_ms),
    releaseJitterUs: millis(extension.release_jitter_ms),
    ...(extension.approved_variants === undefined ? {} : { approvedVariants: extension.approved_variants }),
    ...(floor === undefined ? {} : { minRuntime: toMinRuntime(floor) }),
    ...toCycles(extension, rosEpochUs),
    deliveryBoundary: extension.delivery_boundary,
    deliverySemantics: extension.delivery_semantics,
    requireNewSampleEachCycle: extension.require_new_sample_each_cycle,
    version: extension.contract_version,
    evidenceRequired: extension.evidence_required,
  };
}

function toMinRuntime(floor: NonNullable<ContractParameters['min_runtime']>): MinRuntime {
  return { budgetUs: millis(floor.budget_ms), windowUs: millis(floor.window_ms), guarantee: floor.guarantee };
}

function toCycles(
  extension: ContractParameters['extension'],
  rosEpochUs: Micros,
): Pick<Contract, 'consumerPeriodUs' | 'phaseUs' | 'missBudget'> {
  const { consumer_period_ms: period, phase_ms: phase, miss_budget: budget } = extension;
  return {
    ...(period === undefined ? {} : { consumerPeriodUs: millis(period) }),
    ...(phase === undefined ? {} : { phaseUs: plus(rosEpochUs, millis(phase)) }),
    ...(budget === undefined ? {} : { missBudget: toMissBudget(budget) }),
  };
}

function toMissBudget(budget: NonNullable<ContractParameters['extension']['miss_budget']>): MissBudget {
  return {
    maxMisses: budget.max_misses,
    windowCycles: budget.window_cycles,
    maxConsecutive: budget.max_consecutive,
    mandatoryCycles: budget.mandatory_cycles,
  };
}
