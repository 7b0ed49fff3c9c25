/** One stream: its contract, what waits, and its counts. */
import { STATES, type State } from './catalogue.js';
import { CLASSES, isGuarded, type StreamConfiguration } from './configuration.js';
import { Forecast } from './forecast.js';
import type { ModelState } from './model-state.js';
import { Supersession } from './supersession.js';
import { WaitingQueue } from './waiting-queue.js';

export class StreamState {
  readonly configuration: StreamConfiguration;
  readonly model: ModelState;
  readonly classRank: number;
  readonly waiting = new WaitingQueue();
  readonly supersession = new Supersession();
  readonly forecast: Forecast;
  /** Conservation (rules.md 2): received = waiting + inFlight + the sum of outcomes, after every event. */
  received = 0;
  /** At the server, without an outcome yet. */
  inFlight = 0;
  readonly outcomes: Record<State, number>;

  constructor(configuration: StreamConfiguration, model: ModelState) {
    this.configuration = configuration;
    this.model = model;
    this.classRank = CLASSES.indexOf(configuration.class);
    this.forecast = new Forecast(configuration.contract);
    this.outcomes = Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<State, number>;
  }

  get name(): string {
    return this.configuration.name;
  }

  /** high or protected. */
  get guarded(): boolean {
    return isGuarded(this.configuration.class);
  }

  get latestOnly(): boolean {
    return this.configuration.queue.policy === 'latest';
  }

  /** Whether age may end its requests. */
  get droppable(): boolean {
    return this.configuration.queue.policy !== 'never_drop';
  }
}
