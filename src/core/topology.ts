/** The configuration with its names resolved. */
import { BackendState } from './backend-state.js';
import {
  type BackendConfiguration,
  type CoreConfiguration,
  DEFAULT_LEARNING,
  DEFAULT_SCHEDULING,
  type LearningConfiguration,
  type ModelConfiguration,
  type StreamConfiguration,
} from './configuration.js';
import { contractFaults } from './contract-rules.js';
import { CoreError } from './core-error.js';
import { exclude } from './corun.js';
import { MarginRule } from './margin.js';
import { ModelState, type ServedModel } from './model-state.js';
import { Identity } from './proof/identity.js';
import { cooperativeFaults } from './quanta/cooperative.js';
import { StreamState } from './stream-state.js';

export interface Topology {
  readonly backends: ReadonlyMap<string, BackendState>;
  readonly streams: ReadonlyMap<string, StreamState>;
}

/** @throws {CoreError} duplicate_name, unknown_reference, out_of_range or contradiction. */
export function resolve(configuration: CoreConfiguration): Topology {
  const backends = byName('backend', configuration.backends, (backend) => buildBackend(backend, configuration));
  const learning = checkedLearning(configuration.learning ?? DEFAULT_LEARNING);
  const models = byName('model', configuration.models, (model) => buildModel(model, new MarginRule(learning), backends));
  for (const backend of configuration.backends) banPairs(backend, models);
  const streams = byName('stream', configuration.streams, (stream) => buildStream(stream, models));
  const sorted = [...streams.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const backend of backends.values()) backend.attach(sorted.filter((stream) => stream.model.backend === backend));
  tellMargins(streams.values());
  return { backends, streams };
}

function byName<C extends { readonly name: string }, S>(kind: string, configurations: readonly C[], build: (one: C) => S): Map<string, S> {
  const built = new Map<string, S>();
  for (const one of configurations) {
    if (built.has(one.name)) throw new CoreError('duplicate_name', `two of one name: ${kind} "${one.name}"`);
    built.set(one.name, build(one));
  }
  return built;
}

function named<S>(kind: string, name: string, known: ReadonlyMap<string, S>, user: string): S {
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new CoreError(
    'unknown_reference',
    `${user} names ${kind} "${name}", which is not among: ${[...known.keys()].join(', ') || 'none'}`,
  );
}

function atLeast(minimum: number, value: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= minimum) return;
  throw new CoreError('out_of_range', `${what} is ${value}; it must be a whole number of at least ${minimum}`);
}

function checkedLearning(learning: LearningConfiguration): LearningConfiguration {
  const { marginPercent, ceilingPercent } = learning;
  if (marginPercent >= 100 && ceilingPercent >= marginPercent) return learning;
  throw new CoreError(
    'out_of_range',
    `the margin starts at ${marginPercent} % and ends at ${ceilingPercent} %; from 100 on, and not falling`,
  );
}

function buildBackend(configuration: BackendConfiguration, { scheduling, overload }: CoreConfiguration): BackendState {
  atLeast(1, configuration.slots, `slots of backend "${configuration.name}"`);
  atLeast(0, configuration.pipeliningDepth, `pipelining depth of backend "${configuration.name}"`);
  return new BackendState(configuration, scheduling ?? DEFAULT_SCHEDULING, overload);
}

function buildModel(configuration: ModelConfiguration, margin: MarginRule, backends: ReadonlyMap<string, BackendState>): ModelState {
  const user = `model "${configuration.name}"`;
  const backend = named('backend', configuration.backend, backends, user);
  if (configuration.variants.length === 0) throw new CoreError('out_of_range', `${user} has no variants; it needs at least one`);
  byName(`variant of ${user}`, configuration.variants, (variant) => variant);
  const { instances } = configuration;
  if (instances !== undefined) atLeast(1, instances, `instances of ${user}`);
  refuseCooperativeFaults(configuration, user);
  const model = new ModelState(configuration, backend, margin, (name) => serve(backend, name, instances, user));
  backend.models.push(model);
  return model;
}

function refuseCooperativeFaults({ cooperative, stateful = false, variants }: ModelConfiguration, user: string): void {
  if (cooperative === undefined) return;
  const [fault] = cooperativeFaults(cooperative, { variants: variants.length, stateful });
  if (fault === undefined) return;
  throw new CoreError(
    'contradiction',
    `${user}: ${['cooperative', ...(fault.key === undefined ? [] : [fault.key])].join('.')} ${fault.text}`,
  );
}

function serve(backend: BackendState, name: string, instances: number | undefined, user: string): ServedModel {
  const known = backend.served.get(name);
  if (known === undefined) {
    const served: ServedModel = {
      name,
      identity: new Identity(backend.trust === 'strict'),
      configuredInstances: instances,
      instances: instances ?? backend.credits.slots,
      ready: false,
      signature: undefined,
      openCalls: 0,
      heldCalls: 0,
    };
    backend.served.set(name, served);
    return served;
  }
  if (known.configuredInstances === instances) return known;
  throw new CoreError(
    'contradiction',
    `${user} gives backend model "${name}" ${instances ?? 'no'} instances, another model gives it ${known.configuredInstances ?? 'none'}`,
  );
}

function banPairs({ name, noCorun }: BackendConfiguration, models: ReadonlyMap<string, ModelState>): void {
  for (const pair of noCorun) {
    const user = `no_corun "${pair.join('|')}" of backend "${name}"`;
    const one = named('model', pair[0], models, user);
    const other = named('model', pair[1], models, user);
    if (one === other) throw new CoreError('contradiction', `${user} names one model twice; a model may run beside itself`);
    if (one.backend.name !== name || other.backend.name !== name) {
      throw new CoreError('contradiction', `${user} names a model of another backend; only models of one backend share its slots`);
    }
    exclude(one, other);
  }
}

function buildStream(configuration: StreamConfiguration, models: ReadonlyMap<string, ModelState>): StreamState {
  const user = `stream "${configuration.name}"`;
  const model = named('model', configuration.model, models, user);
  atLeast(1, configuration.queue.capacity, `queue capacity of ${user}`);
  if (model.stateful && configuration.queue.policy === 'latest') {
    throw new CoreError(
      'contradiction',
      `${user} skips frames (policy latest), and ${model.name} is stateful; it needs fifo or never_drop`,
    );
  }
  refuseFaults(configuration);
  return new StreamState(configuration, model);
}

/** Streams that may miss cycles allow their model to outlast its plan as often; the strictest of them holds. */
export function tellMargins(streams: Iterable<StreamState>): void {
  const shares = new Map<ModelState, number[]>();
  for (const { model, configuration } of streams) {
    const { missBudget } = configuration.contract;
    const share = missBudget === undefined ? [] : [missBudget.maxMisses / missBudget.windowCycles];
    shares.set(model, [...(shares.get(model) ?? []), ...share]);
  }
  for (const [model, of] of shares) model.margin.allow(of);
}

/** @throws {CoreError} contradiction. */
export function refuseFaults(stream: StreamConfiguration): void {
  const [fault] = contractFaults(stream);
  if (fault === undefined) return;
  throw new CoreError('contradiction', `stream "${stream.name}": contract.${fault.key.join('.')}: ${fault.text}`);
}
