/** One inference server that speaks KServe v2, seen from the governor. */
import type { Logger } from 'pino';
import type { Micros } from '../core/units.js';
import { resultOf } from '../governor/call-result.js';
import type { ModelMetadata } from '../governor/model-metadata.js';
import type { Call, CallEnd, TensorSource } from '../governor/ports.js';
import type { InferenceServer, ServerHealth, ServerListener } from '../service/inference-server.js';
import { classifyEnd } from './call-end.js';
import type { Connection, InferAnswer } from './connection.js';
import { isLoopback } from './endpoint.js';
import { Evidence } from './evidence.js';
import type { ModelInferResponse__Output } from './generated/inference/ModelInferResponse.js';
import { CONTROL_LIMIT_BYTES, receiveLimitBytes } from './message-limit.js';
import { readOutputs } from './output-tensors.js';
import { type ModelReport, ReadinessWatch, type WatchedModel } from './readiness-watch.js';
import type { CallName } from './refusals.js';
import { RoundTripWindow } from './round-trip.js';
import { SharedMemory } from './shared-memory.js';
import { Supervisor } from './supervisor.js';
import { type PackedInputs, TensorTransport, type Transport } from './tensor-transport.js';
import { INSECURE, type Security } from './tls.js';
import { TritonError, textOf } from './triton-error.js';

/** A server that is silent for so long gets a new connection; the calls on the old one are followed on. */
const SILENCE_LIMIT_MS = 10_000;

export interface BackendModelOptions {
  readonly name: string;
  /** Empty or absent: the server chooses. */
  readonly version?: string;
}

export interface TritonOptions {
  /** Name of the backend in the parameters. */
  readonly name: string;
  /** host:port of the gRPC service. */
  readonly endpoint: string;
  /** Absent: in clear. */
  readonly security?: Security;
  readonly transport: Transport;
  /** Calls at the same time: slots and pipelining depth. As many regions are made for each model. */
  readonly credits: number;
  readonly backendModels: readonly BackendModelOptions[];
  readonly listener: ServerListener;
  /** Core time. */
  readonly now: () => Micros;
  readonly log: Logger;
}

interface ModelState {
  readonly watched: WatchedModel;
  report: ModelReport;
}

export class TritonBackend implements InferenceServer {
  readonly #options: TritonOptions;
  readonly #log: Logger;
  readonly #models: ReadonlyMap<string, ModelState>;
  readonly #supervisor: Supervisor;
  readonly #evidence: Evidence;
  readonly #security: Security;
  readonly #roundTrips = new RoundTripWindow();
  #transport: TensorTransport;
  #memory: SharedMemory | undefined;
  #warmUps = 0;
  #watch: ReadinessWatch | undefined;
  #receiveLimitBytes = CONTROL_LIMIT_BYTES;
  /** Why the connection in use, which does not do, was not replaced when that was tried first. */
  #notReplaced: string | undefined;
  #health: ServerHealth;
  #starting: Promise<void> = Promise.resolve();
  #closed = false;

  /** @throws {TritonError} `invalid_options` when a model is named in two versions: readiness and proof go by the name */
  constructor(options: TritonOptions) {
    this.#options = options;
    this.#security = options.security ?? INSECURE;
    this.#log = options.log.child({ backend: options.name });
    const detail = `no connection to ${options.endpoint} yet`;
    this.#health = { reachable: false, ready: false, detail };
    this.#models = modelStates(options.backendModels, detail);
    this.#evidence = new Evidence({
      models: this.#models.keys(),
      listener: {
        counter: (...report) => this.#tell((listener) => listener.counter(...report)),
        witness: (present, polledUs) => {
          if (!present) this.#transport.serverEnded();
          this.#tell((listener) => listener.witness(present, polledUs));
        },
      },
      now: options.now,
      log: this.#log,
    });
    this.#transport = this.#makeTransport(undefined);
    this.#supervisor = new Supervisor({
      endpoint: options.endpoint,
      security: this.#security,
      receiveLimitBytes: () => this.#receiveLimitBytes,
      introduce: (connection) => this.#evidence.meet(connection),
      connected: (connection) => this.#connected(connection),
      notReplaced: (reason) => this.#stays(reason),
      disconnected: (reason) => this.#disconnected(reason),
    });
  }

  /** Connects, and from then on tells the listener of every change by itself. */
  start(): void {
    this.#starting = this.#start();
  }

  /** Gives open calls up (they end as unknown), and every socket, timer and region back. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting;
    this.#supervisor.stop();
    this.#watch?.stop();
    try {
      await this.#evidence.close(this.#supervisor.current);
      await this.#transport.close();
    } finally {
      this.#supervisor.close();
    }
  }

  health(): ServerHealth {
    return this.#health;
  }

  /** Of the last 64 calls that execute nothing. */
  roundTripP90(): Micros | undefined {
    return this.#roundTrips.p90();
  }

  /**
   * What the server says about a model.
   * @throws {TritonError} `not_ready`, or `invalid_options` for a model that the options do not name
   */
  async describe(backendModel: string): Promise<ModelMetadata> {
    const { report } = this.#model(backendModel);
    if (!report.ready) throw new TritonError('not_ready', report.detail);
    return report.metadata;
  }

  /**
   * Makes the regions for this model and runs calls that are no requests.
   * @throws {TritonError} `warm_up_failed`, `not_ready` or `shared_memory`
   */
  async warmUp(backendModel: string, inputs: readonly TensorSource[], calls: number): Promise<void> {
    await this.#transport.reserve(backendModel, inputs);
    for (let call = 0; call < calls; call += 1) {
      const model = this.#model(backendModel);
      if (!model.report.ready) throw new TritonError('not_ready', model.report.detail); // since the call before
      const end = await this.#warmUpCall(model, inputs);
      if (end.result !== 'ok')
        throw new TritonError('warm_up_failed', `warm-up of "${backendModel}" failed (${end.result}): ${end.detail}`);
    }
  }

  poll(backendModel: string, everyUs: Micros): void {
    this.#evidence.poll(backendModel, everyUs);
  }

  async infer(call: Call): Promise<CallEnd> {
    const model = this.#models.get(call.backendModel);
    if (model === undefined) return { result: 'not_started', detail: this.#unknownModel(call.backendModel) };
    return this.#execute(model, call.inputs, String(call.request));
  }

  async #start(): Promise<void> {
    const { transport, endpoint } = this.#options;
    const local = isLoopback(endpoint);
    const shared = transport === 'shared_memory' || (transport === 'auto' && local);
    if (!shared) this.#log.info(`tensors travel inside the messages${local ? '' : `: ${endpoint} is another machine`}`);
    if (shared || local) await this.#openSharedMemory(shared);
    else this.#log.info(`restarts of this server are told by its counters alone: ${endpoint} is another machine`);
    if (!this.#closed) this.#supervisor.open();
  }

  /** @param forTensors else for the witness alone */
  async #openSharedMemory(forTensors: boolean): Promise<void> {
    try {
      const { memory, leftovers, unmapped } = await SharedMemory.open();
      if (leftovers.length > 0) this.#log.info({ leftovers }, 'removed shared-memory regions of a predecessor that had not ended cleanly');
      this.#memory = memory;
      this.#evidence.useMemory(memory);
      if (!forTensors) return;
      if (unmapped !== undefined) this.#log.warn(`shared memory is written through files, which is slower: ${unmapped}`);
      this.#transport = this.#makeTransport(memory);
    } catch (error) {
      this.#log.warn(
        { err: error },
        'this system has no shared memory for us: tensors travel inside the messages, and restarts of the server are told by its counters alone',
      );
    }
  }

  #makeTransport(memory: SharedMemory | undefined): TensorTransport {
    const { transport, credits, backendModels, log } = this.#options;
    const maxRegions = 2 * credits * Math.max(1, backendModels.length);
    return new TensorTransport({ transport, credits, maxRegions, log, ...(memory === undefined ? {} : { memory }) });
  }

  #model(name: string): ModelState {
    const model = this.#models.get(name);
    if (model === undefined) throw new TritonError('invalid_options', this.#unknownModel(name));
    return model;
  }

  #unknownModel(name: string): string {
    return `backend "${this.#options.name}" was not told of model "${name}"`;
  }

  async #execute(model: ModelState, inputs: readonly TensorSource[], id: string): Promise<CallEnd> {
    const connection = this.#supervisor.current;
    if (connection === undefined) return { result: 'not_started', detail: this.#health.detail };
    const { name, version } = model.watched;
    const witnessed = this.#evidence.isWitnessed(connection);
    const packed = this.#pack(name, inputs);
    if (packed instanceof Error) return { result: 'not_started', detail: `the inputs could not be made: ${packed.message}` };
    const answering = connection.infer({ model_name: name, model_version: version, id, ...packed.request });
    if (!witnessed) this.#evidence.sentUnwitnessed(name);
    const answer = await answering;
    const end = endOf(answer, { model: name, id }, witnessed);
    packed.end(end.result !== 'unknown');
    if (end.result === 'not_counted' && packed.region !== undefined && end.detail.includes(packed.region))
      this.#transport.forgotten(packed.region);
    return end;
  }

  async #warmUpCall(model: ModelState, inputs: readonly TensorSource[]): Promise<CallEnd> {
    this.#warmUps += 1;
    const call = this.#warmUps;
    const { name } = model.watched;
    this.#tell((listener) => listener.warmUp(name, call));
    const end = await this.#execute(model, inputs, '');
    this.#tell((listener) => listener.warmUp(name, call, resultOf(end)));
    return end;
  }

  #pack(model: string, inputs: readonly TensorSource[]): PackedInputs | Error {
    try {
      return this.#transport.pack(model, inputs);
    } catch (error) {
      return error instanceof Error ? error : new Error(textOf(error));
    }
  }

  #connected(connection: Connection): void {
    this.#watch?.stop();
    this.#evidence.pause();
    this.#notReplaced = undefined;
    this.#log.info({ endpoint: this.#options.endpoint, receiveLimitBytes: connection.receiveLimitBytes }, 'connected');
    this.#watch = new ReadinessWatch(
      connection,
      [...this.#models.values()].map(({ watched }) => watched),
      {
        introduce: () => this.#introduce(connection),
        loaded: ({ name }) => this.#evidence.report(name),
        round: (server, reports) => this.#round(connection, server, reports),
        silent: (sinceMs) => this.#silent(sinceMs),
        roundTrip: (us) => this.#roundTrips.add(us),
      },
    );
    this.#watch.start();
  }

  /** Whether it is the same process, before anything of it is used or told. */
  async #introduce(connection: Connection): Promise<void> {
    await this.#evidence.begin(connection);
    const forgotten = (await this.#memory?.forgetLeftovers(connection)) ?? [];
    if (forgotten.length > 0)
      this.#log.info({ forgotten }, 'the server was asked to forget regions of a predecessor that had not ended cleanly');
    if (connection.state === 'ready') await this.#transport.connected(connection);
  }

  #tell(say: (listener: ServerListener) => void): void {
    if (!this.#closed) say(this.#options.listener);
  }

  #disconnected(reason: string): void {
    this.#watch?.stop();
    this.#evidence.pause();
    this.#transport.disconnected();
    const detail = `no connection to ${this.#options.endpoint} (${reason}): ${this.#security.remedy}`;
    this.#report({ reachable: false, ready: false, detail }, () => ({ ready: false, detail }));
  }

  #stays(reason: string): void {
    if (this.#notReplaced !== undefined) return;
    this.#notReplaced = reason;
    this.#log.warn({ reason }, 'the connection stays in use: no other could take its place; it is tried again');
  }

  #silent(sinceMs: number): void {
    const silence = `the server at ${this.#options.endpoint} does not answer`;
    const detail = this.#notReplaced === undefined ? silence : `${silence}; ${this.#notReplaced}`;
    this.#report({ reachable: false, ready: false, detail }, () => ({ ready: false, detail }));
    if (sinceMs > SILENCE_LIMIT_MS) this.#supervisor.open();
  }

  #round(connection: Connection, server: { readonly ready: boolean; readonly detail: string }, reports: readonly ModelReport[]): void {
    for (const report of reports) {
      if (report.ready) this.#receiveLimitBytes = Math.max(this.#receiveLimitBytes, receiveLimitBytes(report.metadata));
    }
    if (this.#receiveLimitBytes <= connection.receiveLimitBytes) this.#notReplaced = undefined;
    else {
      this.#supervisor.open(); // the models are announced on a connection that their answers fit
      if (this.#notReplaced === undefined) return;
    }
    const announced = reports.map((report) => this.#fitting(connection, report));
    this.#report({ reachable: true, ready: server.ready, detail: server.detail }, (index) => announced[index]);
  }

  #fitting(connection: Connection, report: ModelReport): ModelReport {
    const bytes = report.ready ? receiveLimitBytes(report.metadata) : 0;
    if (!report.ready || bytes <= connection.receiveLimitBytes) return report;
    const detail = `model "${report.metadata.name}" waits for a connection that takes its answers of up to ${bytes} bytes: ${this.#notReplaced}`;
    return { ready: false, detail };
  }

  #report(health: ServerHealth, reportOf: (index: number) => ModelReport | undefined): void {
    if (this.#closed) return;
    const before = this.#health;
    this.#health = health;
    if (before.reachable !== health.reachable || before.ready !== health.ready || before.detail !== health.detail)
      this.#log.info(health, 'server');
    for (const [index, model] of [...this.#models.values()].entries()) {
      const report = reportOf(index);
      if (report !== undefined) this.#setModel(model, report);
    }
  }

  #setModel(model: ModelState, report: ModelReport): void {
    const before = model.report;
    model.report = report;
    const detail = report.ready ? describeReady(report.metadata) : report.detail;
    if (before.ready === report.ready && (before.ready || before.detail === detail)) return;
    this.#log.info({ model: model.watched.name, ready: report.ready }, detail);
    this.#options.listener.readiness(model.watched.name, report.ready, detail);
  }
}

function modelStates(models: readonly BackendModelOptions[], detail: string): ReadonlyMap<string, ModelState> {
  const states = new Map<string, ModelState>();
  for (const { name, version = '' } of models) {
    const known = states.get(name);
    if (known !== undefined && known.watched.version !== version) {
      throw new TritonError('invalid_options', `model "${name}" is asked for in two versions, "${known.watched.version}" and "${version}"`);
    }
    states.set(name, { watched: { name, version }, report: { ready: false, detail } });
  }
  return states;
}

/** What holds calls back at the server is worth a word: the governor cannot see it. */
function describeReady(metadata: ModelMetadata): string {
  const batching = metadata.dynamicBatching;
  const delay = batching !== undefined && batching.delayUs > 0 ? `; each call waits ${batching.delayUs} us there for a batch` : '';
  const queue =
    batching !== undefined && batching.maxQueueSize > 0 ? `; it refuses calls beyond ${batching.maxQueueSize} waiting ones` : '';
  return `model "${metadata.name}" is ready${delay}${queue}`;
}

/** @param witnessed it was sent to the process that holds the boot witness */
function endOf(answer: InferAnswer, call: CallName, witnessed: boolean): CallEnd {
  switch (answer.kind) {
    case 'response':
      return readResponse(answer.response);
    case 'end': {
      const end = classifyEnd(answer.end, call);
      return end.result === 'unknown' && witnessed ? { ...end, witnessed } : end;
    }
    case 'not_sent':
      return { result: 'not_started', detail: 'the connection to the server was lost before the call was sent' };
  }
}

function readResponse(response: ModelInferResponse__Output): CallEnd {
  try {
    return { result: 'ok', outputs: readOutputs(response), modelVersion: response.model_version };
  } catch (error) {
    return { result: 'failed', cause: 'bad_output', detail: textOf(error) };
  }
}
