/**
 * The lifecycle of the node, one transition at a time. The binding wants the work of a transition done when its callback returns;
 * draining takes seconds. So the work comes first and the transition after it: until it is done the node shows the state it leaves.
 */
import type { Logger } from 'pino';
import { asked } from './operator-log.js';

export const TRANSITIONS = ['configure', 'activate', 'deactivate', 'cleanup', 'shutdown'] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** What each transition does. A rejection leaves the node in the state it was in, except where something ends: that it does in any case. */
export type LifecycleWork = Readonly<Record<Transition, () => Promise<void>>>;

/** The state machine that ROS sees. */
export interface StateMachine {
  /** unconfigured, inactive, active or finalized. */
  state(): string;
  apply(transition: Transition, succeeded: boolean): void;
}

const ENDS: ReadonlySet<Transition> = new Set(['cleanup', 'shutdown']);

const FROM: Readonly<Record<Transition, readonly string[]>> = {
  configure: ['unconfigured'],
  activate: ['inactive'],
  deactivate: ['active'],
  cleanup: ['inactive'],
  shutdown: ['unconfigured', 'inactive', 'active'],
};

/** Requests that may wait for the one under way. */
const MAX_WAITING = 16;

export class Lifecycle {
  readonly #machine: StateMachine;
  readonly #work: LifecycleWork;
  readonly #log: Logger;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(machine: StateMachine, work: LifecycleWork, log: Logger) {
    this.#machine = machine;
    this.#work = work;
    this.#log = asked(log);
  }

  state(): string {
    return this.#machine.state();
  }

  /** After the requests before it. Never rejects. @returns whether the node is in the state asked for. */
  request(transition: Transition): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return Promise.resolve(false);
    this.#waiting += 1;
    const done = this.#last
      .then(() => this.#perform(transition))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = done;
    return done;
  }

  async #perform(transition: Transition): Promise<boolean> {
    try {
      const from = this.#machine.state();
      if (!FROM[transition].includes(from)) {
        this.#log.warn({ transition, state: from }, 'this transition is not possible from this state');
        return false;
      }
      const succeeded = await this.#succeeds(transition);
      this.#machine.apply(transition, succeeded);
      if (succeeded) this.#log.info({ transition, state: this.#machine.state() }, 'lifecycle');
      return succeeded;
    } catch (err) {
      this.#log.error({ err, transition }, 'the transition failed');
      return false;
    }
  }

  async #succeeds(transition: Transition): Promise<boolean> {
    try {
      await this.#work[transition]();
      return true;
    } catch (err) {
      this.#log.error({ err, transition }, 'the transition failed');
      return ENDS.has(transition);
    }
  }
}
