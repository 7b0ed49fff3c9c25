/** The governor itself: the core and the actor of the live node, on virtual time. */
import type { CoreConfiguration } from '../core/configuration.js';
import { DecisionCore } from '../core/decision-core.js';
import { micros } from '../core/units.js';
import { Actor } from '../governor/actor.js';
import type { CallEnd, Frame, OutcomeRecord, Publisher, StartCall, TraceSink } from '../governor/ports.js';
import { Generations } from './generations.js';
import { BACKEND } from './governor-settings.js';
import type { Ledger } from './ledger.js';
import { SimulationError } from './ledger.js';
import type { Policy, World } from './policy.js';
import type { SimulatedStream } from './scenario.js';
import { toMicros, VirtualClock } from './virtual-clock.js';
import type { VirtualTime } from './virtual-time.js';

/** Simulated calls always end. */
const TIMEOUT_US = micros(600_000_000);
const HEADER = { stamp: { sec: 0, nanosec: 0 }, frameId: '' };
const ANSWERED: CallEnd = { result: 'ok', outputs: [], modelVersion: '' };
const FAILED: CallEnd = { result: 'failed', cause: 'model_error', detail: '' };

export interface GovernorOptions {
  /** Of the configuration. */
  readonly core?: DecisionCore;
  readonly trace?: TraceSink;
}

export class GovernorPolicy implements Policy {
  readonly #world: World;
  readonly #actor: Actor;
  readonly #frames: readonly Frame[];
  /** By request id: which frame it is. The actor numbers requests from 1 as they arrive. */
  readonly #frameOf: number[] = [-1];
  /** By backend model: its place among the variants of its stream. */
  readonly #variantOf: ReadonlyMap<string, number>;
  readonly #generations = new Generations();

  constructor(world: World, configuration: CoreConfiguration, { core = new DecisionCore(configuration), trace }: GovernorOptions = {}) {
    const { scenario } = world.ledger;
    this.#world = world;
    this.#frames = scenario.streams.map(frameOf);
    this.#variantOf = new Map(
      scenario.streams.flatMap(({ name, variants }) => variants.map((variant, index) => [`${name}.${variant.name}`, index] as const)),
    );
    this.#actor = new Actor(core, {
      clock: new VirtualClock(world.time),
      backends: new Map([[BACKEND, { startCall: this.#startCall, timeoutUs: TIMEOUT_US }]]),
      ...(trace === undefined ? {} : { trace }),
      publisher: new LedgerPublisher(world.ledger, world.time, this.#frameOf),
      whyNotReady: () => undefined,
    });
    this.#becomeReady(configuration);
  }

  arrive(frame: number): void {
    const { workload } = this.#world.ledger;
    const capture = toMicros(workload.captureNs[frame] as number);
    const now = toMicros(this.#world.time.nowNs);
    this.#frameOf.push(frame);
    this.#actor.accept(this.#frames[workload.stream[frame] as number] as Frame, capture, BigInt(frame), micros(now - capture));
  }

  tick(): void {
    this.#actor.post({ type: 'tick' });
  }

  #becomeReady(configuration: CoreConfiguration): void {
    const { backend } = this.#world.ledger.scenario;
    this.#actor.post({ type: 'round_trip', backend: BACKEND, p90: toMicros(backend.roundTripNs) });
    for (const { variants } of configuration.models) {
      for (const { backendModel } of variants) this.#actor.post({ type: 'readiness', backend: BACKEND, backendModel, ready: true });
    }
  }

  readonly #startCall: StartCall = ({ request, stream, backendModel, quantum }, ended) => {
    const variant = this.#variantOf.get(backendModel);
    if (variant === undefined) throw new SimulationError(`a call went to "${backendModel}", which the scenario does not have`);
    const frame = this.#frameOf[request] as number;
    const { server, ledger } = this.#world;
    const generating = ledger.scenario.streams.find(({ name }) => name === stream)?.generating;
    const share = quantum === undefined || generating === undefined ? 1 : this.#generations.begin(frame, quantum.tokens, generating);
    server.send(frame, variant, (answer) => ended(answer === 'ok' ? ANSWERED : FAILED), share);
  };
}

function frameOf({ name, generating }: SimulatedStream): Frame {
  const prompt = generating === undefined ? {} : { prompt: { promptTokens: generating.promptTokens, maxTokens: generating.tokens } };
  return { stream: name, header: HEADER, ...prompt, inputs: () => [], decode: () => [] };
}

/** Whether a result is fresh is for the ledger to say: to the nanosecond, and by the contract that the user wrote. */
class LedgerPublisher implements Publisher {
  readonly #ledger: Ledger;
  readonly #time: VirtualTime;
  readonly #frameOf: readonly number[];

  constructor(ledger: Ledger, time: VirtualTime, frameOf: readonly number[]) {
    this.#ledger = ledger;
    this.#time = time;
    this.#frameOf = frameOf;
  }

  received(): void {}
  result(): void {}

  outcome({ request, state }: OutcomeRecord): void {
    const frame = this.#frameOf[request] as number;
    if (state === 'delivered' || state === 'obsolete') this.#ledger.result(frame, this.#time.nowNs);
    else this.#ledger.end(frame, state);
  }
}
