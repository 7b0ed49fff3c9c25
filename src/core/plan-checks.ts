/** What a whole configuration cannot keep, however the work is ordered (rules.md 13). Pure; what nobody has measured is not judged. */
import {
  type BackendConfiguration,
  type CoreConfiguration,
  isGuarded,
  type ModelConfiguration,
  type StreamConfiguration,
  type VariantConfiguration,
} from './configuration.js';

export interface PlanFinding {
  /** fail: it cannot work · warn: it may not. */
  readonly severity: 'fail' | 'warn';
  readonly about: { readonly stream: string } | { readonly backend: string };
  /** What is wrong with its numbers, and what would be right. */
  readonly text: string;
}

/** One stream with the model it runs on, and the shortest that a frame of it takes there: the median of its fastest approved variant. */
interface Load {
  readonly stream: StreamConfiguration;
  readonly model: ModelConfiguration;
  readonly runtimeUs: number;
}

export function checkPlan(configuration: CoreConfiguration): PlanFinding[] {
  const unqualified = configuration.streams.flatMap((stream) => [...qualification(stream, configuration.models)]);
  const loads = configuration.streams.flatMap((stream) => loadOf(stream, configuration.models) ?? []);
  return [
    ...unqualified,
    ...loads.flatMap((load) => [...freshness(load)]),
    ...configuration.backends.flatMap((backend) => {
      const own = loads.filter(({ model }) => model.backend === backend.name);
      return [...utilisation(backend, own), ...blocking(backend, own)];
    }),
  ];
}

/** undefined while a variant has no profile: it might be the fastest. */
function loadOf(stream: StreamConfiguration, models: readonly ModelConfiguration[]): Load | undefined {
  const model = models.find(({ name }) => name === stream.model);
  if (model === undefined) return undefined;
  let fastest: Load | undefined;
  for (const { profile, preprocessUs = 0 } of approvedVariants(stream, model)) {
    if (profile === undefined) return undefined;
    const runtimeUs = profile.p50Us + preprocessUs;
    if (fastest === undefined || runtimeUs < fastest.runtimeUs) fastest = { stream, model, runtimeUs };
  }
  return fastest;
}

function approvedVariants({ contract }: StreamConfiguration, model: ModelConfiguration): readonly VariantConfiguration[] {
  const { approvedVariants: approved, minQuality = 0 } = contract;
  return model.variants.filter(({ name, quality }) => quality >= minQuality && (approved?.includes(name) ?? true));
}

/** No frame can ever be fresh. */
function* freshness({ stream, model, runtimeUs }: Load): Generator<PlanFinding> {
  const { name, contract } = stream;
  if (runtimeUs <= contract.maxAgeUs) return;
  const text = `can never be fresh: model ${model.name} takes at least ${ms(runtimeUs)}, and max_age_ms is ${ms(contract.maxAgeUs)}; allow a higher age, or use a faster model`;
  yield { severity: isGuarded(stream.class) ? 'fail' : 'warn', about: { stream: name }, text };
}

const FULL = 1;
const NEARLY_FULL = 0.8;

/** Guarded streams alone take more than there is. */
function* utilisation({ name, slots }: BackendConfiguration, loads: readonly Load[]): Generator<PlanFinding> {
  const shares = loads.flatMap(({ stream, runtimeUs }) => {
    const { periodUs } = stream.contract;
    return isGuarded(stream.class) && periodUs !== undefined ? [{ stream: stream.name, share: runtimeUs / periodUs / slots }] : [];
  });
  const total = sum(shares.map(({ share }) => share));
  if (total <= NEARLY_FULL) return;
  const parts = shares.map(({ stream, share }) => `${stream} ${percent(share)}`).join(', ');
  const text = `its guarded streams take ${percent(total)} of ${slots === 1 ? 'its slot' : `its ${slots} slots`} (${parts}), each frame on its fastest approved variant`;
  if (total > FULL) yield { severity: 'fail', about: { backend: name }, text: `${text}; lower rates, faster variants or more slots` };
  else yield { severity: 'warn', about: { backend: name }, text: `${text}; above ${percent(NEARLY_FULL)} little is left for late frames` };
}

/** Jobs of streams that are not guarded can take every slot for longer than a guarded result may be old. */
function* blocking(backend: BackendConfiguration, loads: readonly Load[]): Generator<PlanFinding> {
  const { name, slots } = backend;
  const guarded = loads.map(({ stream }) => stream).filter((stream) => isGuarded(stream.class));
  const [tightest] = guarded.sort((a, b) => a.contract.maxAgeUs - b.contract.maxAgeUs);
  if (tightest === undefined) return;
  const { maxAgeUs } = tightest.contract;
  const long = loads.filter(({ stream, runtimeUs }) => !isGuarded(stream.class) && runtimeUs > maxAgeUs);
  if (atOnce(long, backend, backend.slots) < slots) return;
  // Instances that are not declared are told by the server later: one is certain.
  const severity = atOnce(long, backend, 1) < slots ? 'warn' : 'fail';
  const jobs = long.map(({ stream, runtimeUs }) => `${stream.name} (${ms(runtimeUs)})`).join(', ');
  const text = `jobs of ${jobs} can take ${slots === 1 ? 'its only slot' : `all ${slots} slots`} for longer than results of ${tightest.name} may be old (${ms(maxAgeUs)}); use faster variants, fewer instances than slots, or another backend`;
  yield { severity, about: { backend: name }, text };
}

/** How many executions of these there can be at the same time. */
function atOnce(loads: readonly Load[], { slots, noCorun }: BackendConfiguration, undeclaredInstances: number): number {
  const perModel = new Map(loads.map(({ model }) => [model.name, Math.min(model.instances ?? undeclaredInstances, slots)]));
  const banned = noCorun.map(([one, other]) => Math.min(perModel.get(one) ?? 0, perModel.get(other) ?? 0));
  return sum([...perModel.values()]) - sum(banned);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A qualified promise needs profiles that hold here. */
function* qualification(stream: StreamConfiguration, models: readonly ModelConfiguration[]): Generator<PlanFinding> {
  if (stream.contract.evidenceRequired !== 'qualified_slo') return;
  const model = models.find(({ name }) => name === stream.model);
  const open = (model === undefined ? [] : approvedVariants(stream, model)).filter(
    ({ profile }) => profile === undefined || profile.unverified,
  );
  if (open.length === 0) return;
  const names = open.map(({ name, profile }) => `${name} (${profile === undefined ? 'no profile' : 'not verified'})`).join(', ');
  const text = `requires qualified_slo, but nobody has verified the profile of: ${names}; calibrate on this machine, or require observed`;
  yield { severity: 'fail', about: { stream: stream.name }, text };
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
