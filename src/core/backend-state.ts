/** One backend with everything that competes for it: a domain of its own. */
import type { BackendConfiguration, OverloadConfiguration } from './configuration.js';
import { Credits } from './credits.js';
import type { ModelState, ServedModel } from './model-state.js';
import { CandidateOrder } from './order.js';
import { OverloadController } from './overload.js';
import type { StreamState } from './stream-state.js';

export class BackendState {
  readonly name: string;
  readonly credits: Credits;
  readonly overload: OverloadController;
  readonly served = new Map<string, ServedModel>();
  readonly models: ModelState[] = [];
  /** By name: the order in which simultaneous outcomes are told. */
  readonly streams: StreamState[] = [];
  lateAnswers = 0;
  #order = new CandidateOrder(this.streams);

  constructor(configuration: BackendConfiguration, overload?: OverloadConfiguration) {
    this.name = configuration.name;
    this.credits = new Credits(configuration);
    this.overload = new OverloadController(overload);
  }

  attach(streams: readonly StreamState[]): void {
    this.streams.push(...streams);
    this.#order = new CandidateOrder(this.streams);
  }

  /** Streams in the order in which their candidates go. */
  candidates(): readonly StreamState[] {
    return this.#order.settle();
  }

  /** Calls of ended requests take every slot: nothing can start before one of them answers (rules.md 11). */
  get quarantined(): boolean {
    return this.credits.held >= this.credits.slots;
  }
}
