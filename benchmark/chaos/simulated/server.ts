/** An inference server as it truly is: processes that end, models that are loaded anew, executions that run on. */
import type { CallEnd } from '../../../src/governor/ports.js';
import type { Dice } from '../dice.js';
import type { Timeline } from './timeline.js';

/** One call at the server. */
export interface Execution {
  /** The model may raise. */
  readonly mayFail: boolean;
  /** Its answer, told when it is made; never when the process ends before. */
  readonly answer: (end: CallEnd) => void;
  /** It neither runs nor waits any more. Not told when the process is killed. */
  readonly over: () => void;
  /** Its model was unloaded, and it goes on. */
  readonly left: () => void;
}

const OK: CallEnd = { result: 'ok', outputs: [], modelVersion: '1' };
const RAISED: CallEnd = { result: 'failed', cause: 'model_error', detail: 'the model raised' };
const UNHEALTHY: CallEnd = { result: 'failed', cause: 'model_error', detail: 'the process of the model is not healthy' };
const REFUSED: CallEnd = { result: 'not_counted', detail: 'refused' };
const ERRORS_PERCENT = 5;

/** A model from its load on; one that was unloaded runs to the end of what it has accepted. */
class LoadedModel {
  completed = 0;
  crashed = false;
  readonly running = new Set<Execution>();
  readonly waiting: Execution[] = [];
  readonly instances: number;

  constructor(instances: number) {
    this.instances = instances;
  }
}

export interface ServerOptions {
  readonly time: Timeline;
  readonly dice: Dice;
  /** Instances by model. */
  readonly models: ReadonlyMap<string, number>;
  readonly runtimeMs: number;
}

/** From its start to its end. */
export class ServerProcess {
  /** Our witness was made known to it. */
  registered = false;
  readonly #server: ServerOptions;
  readonly #hangsUs: Map<string, number>;
  readonly #models = new Map<string, LoadedModel>();
  #alive = true;
  #frozen = false;
  #refusals = 0;
  readonly #deferred: (() => void)[] = [];

  constructor(server: ServerOptions, hangsUs: Map<string, number>) {
    this.#server = server;
    this.#hangsUs = hangsUs;
    for (const model of server.models.keys()) this.load(model);
  }

  get alive(): boolean {
    return this.#alive;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Does it as soon as the process goes on; never when it has ended. */
  do(task: () => void): void {
    if (!this.#alive) return;
    if (this.#frozen) this.#deferred.push(task);
    else task();
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    for (const task of this.#deferred.splice(0)) this.do(task);
  }

  kill(): void {
    this.#alive = false;
  }

  unload(name: string): void {
    const model = this.#models.get(name);
    if (model === undefined) return;
    this.#models.delete(name);
    for (const execution of [...model.running, ...model.waiting]) execution.left();
  }

  load(name: string): void {
    if (!this.#models.has(name)) this.#models.set(name, new LoadedModel(this.#server.models.get(name) ?? 1));
  }

  crash(name: string): void {
    const model = this.#models.get(name);
    if (model === undefined) return;
    model.crashed = true;
    this.#failAll(model);
  }

  /** So many of the next calls find the queue full. */
  refuse(calls: number): void {
    this.#refusals = calls;
  }

  /** What it has finished; undefined when it is not loaded. */
  completed(name: string): number | undefined {
    return this.#models.get(name)?.completed;
  }

  accept(name: string, execution: Execution): void {
    const model = this.#models.get(name);
    if (model === undefined || this.#refusals > 0) {
      if (model !== undefined) this.#refusals -= 1;
      execution.over();
      execution.answer(REFUSED);
      return;
    }
    model.waiting.push(execution);
    if (model.crashed) this.#failAll(model);
    else this.#startWaiting(model, name);
  }

  #startWaiting(model: LoadedModel, name: string): void {
    while (model.running.size < model.instances) {
      const execution = model.waiting.shift();
      if (execution === undefined) return;
      model.running.add(execution);
      this.#server.time.after(this.#runtimeUs(name), () => this.do(() => this.#finish(model, name, execution)));
    }
  }

  #runtimeUs(name: string): number {
    const { dice, runtimeMs } = this.#server;
    const hangUs = this.#hangsUs.get(name) ?? 0;
    this.#hangsUs.delete(name);
    return hangUs + dice.between(runtimeMs * 500, runtimeMs * 1500);
  }

  #finish(model: LoadedModel, name: string, execution: Execution): void {
    if (!model.running.delete(execution)) return; // its process was killed
    this.#count(model, execution, execution.mayFail && this.#server.dice.percent(ERRORS_PERCENT) ? RAISED : OK);
    this.#startWaiting(model, name);
  }

  #failAll(model: LoadedModel): void {
    const executions = [...model.running, ...model.waiting.splice(0)];
    model.running.clear();
    for (const execution of executions) this.#count(model, execution, UNHEALTHY);
  }

  #count(model: LoadedModel, { over, answer }: Execution, end: CallEnd): void {
    model.completed += 1;
    over();
    answer(end);
  }
}

/** Where one process after the other listens. */
export class SimulatedServer {
  readonly #options: ServerOptions;
  readonly #hangsUs = new Map<string, number>();
  #process: ServerProcess;
  readonly #told: (() => void)[] = [];
  /** Once for each thing that is still to be undone in it. */
  readonly #undoing: ServerProcess[] = [];

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#process = new ServerProcess(options, this.#hangsUs);
  }

  /** The one that listens; undefined while none does. */
  get process(): ServerProcess | undefined {
    return this.#process.alive ? this.#process : undefined;
  }

  /** The operating system ends the connections of a process that is killed. */
  onKilled(tell: () => void): void {
    this.#told.push(tell);
  }

  /** Nothing that was done to it is still to be undone. */
  get isWell(): boolean {
    return this.process !== undefined && !this.#undoing.some((process) => process.alive);
  }

  kill(downUs: number): void {
    if (!this.#process.alive) return;
    this.#process.kill();
    for (const tell of this.#told) tell();
    this.#options.time.after(downUs, () => {
      this.#process = new ServerProcess(this.#options, this.#hangsUs);
    });
  }

  freeze(forUs: number): void {
    const process = this.#process;
    process.freeze();
    this.#undoing.push(process);
    this.#options.time.after(forUs, () => {
      this.#undoing.splice(this.#undoing.indexOf(process), 1);
      process.thaw();
    });
  }

  reload(model: string, gapUs: number): void {
    const process = this.#process;
    this.#later(0, () => {
      process.unload(model);
      this.#later(gapUs, () => process.load(model));
    });
  }

  crash(model: string, gapUs: number): void {
    this.process?.crash(model);
    this.#later(gapUs, () => this.reload(model, 0));
  }

  refuse(calls: number): void {
    this.process?.refuse(calls);
  }

  /** Nothing more goes wrong: what hangs yet ends by itself. */
  recover(): void {
    this.#hangsUs.clear();
    this.process?.refuse(0);
  }

  hang(model: string, forUs: number): void {
    this.#hangsUs.set(model, forUs);
  }

  /** Unless its process has ended by then; a stopped one does it when it goes on. */
  #later(us: number, task: () => void): void {
    const process = this.#process;
    this.#undoing.push(process);
    const done = (): void => {
      this.#undoing.splice(this.#undoing.indexOf(process), 1);
      task();
    };
    this.#options.time.after(us, () => process.do(done));
  }
}
