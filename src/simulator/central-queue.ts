/** The control arms with one dispatcher in front of the server: what people use or write today (scenarios.md 2). */
import { CLASSES } from '../core/configuration.js';
import type { Policy, World } from './policy.js';
import { bestVariant } from './scenario.js';

export interface CentralRules {
  /** Waiting frames of each stream at most, where a full queue refuses; without it each stream has the queue of its contract. */
  readonly capacity?: number;
  readonly order: 'class_then_arrival' | 'deadline';
  /** Whether calls are sent as far ahead as the backend has credits; else one for each slot. */
  readonly sendsAhead: boolean;
  /** Whether a frame is dropped once it has waited so long that it cannot be fresh at its median runtime. */
  readonly timesOut: boolean;
}

interface Lane {
  readonly frames: number[];
  readonly capacity: number;
  /** Whether a full queue drops its oldest frame for a newcomer, instead of refusing that. */
  readonly replaces: boolean;
  readonly rank: number;
  readonly variant: number;
  readonly longestWaitNs: number;
  readonly deadlineNs: number;
}

export class CentralQueue implements Policy {
  readonly #world: World;
  readonly #rules: CentralRules;
  readonly #lanes: readonly Lane[];
  readonly #credits: number;

  constructor(world: World, rules: CentralRules) {
    const { streams, backend } = world.ledger.scenario;
    this.#world = world;
    this.#rules = rules;
    this.#credits = backend.slots + (rules.sendsAhead ? backend.pipeliningDepth : 0);
    this.#lanes = streams.map((stream) => {
      const variant = bestVariant(stream);
      return {
        frames: [],
        capacity: rules.capacity ?? stream.queue.capacity,
        replaces: rules.capacity === undefined && stream.queue.replaces,
        rank: CLASSES.indexOf(stream.class),
        variant,
        longestWaitNs: stream.contract.maxAgeNs - (stream.variants[variant]?.p50Ns ?? 0),
        deadlineNs: stream.contract.deadlineNs,
      };
    });
  }

  arrive(frame: number): void {
    const { frames, capacity, replaces } = this.#laneOf(frame);
    const { ledger } = this.#world;
    if (frames.length < capacity) frames.push(frame);
    else if (!replaces) ledger.end(frame, 'infeasible');
    else {
      ledger.end(frames.shift() as number, 'superseded');
      frames.push(frame);
    }
    this.#dispatch();
  }

  tick(): void {
    this.#dispatch();
  }

  #dispatch(): void {
    if (this.#rules.timesOut) this.#timeOut();
    const { server, ledger } = this.#world;
    while (server.open < this.#credits) {
      const lane = this.#first();
      if (lane === undefined) return;
      const frame = lane.frames.shift() as number;
      server.send(frame, lane.variant, (answer) => {
        if (answer === 'ok') ledger.result(frame, this.#world.time.nowNs);
        else ledger.end(frame, 'backend_failed');
        this.#dispatch();
      });
    }
  }

  #timeOut(): void {
    const { time, ledger } = this.#world;
    for (const lane of this.#lanes) {
      for (let head = lane.frames[0]; head !== undefined; head = lane.frames[0]) {
        if (time.nowNs - (ledger.workload.arrivalNs[head] as number) <= lane.longestWaitNs) break;
        lane.frames.shift();
        ledger.end(head, 'stale');
      }
    }
  }

  #first(): Lane | undefined {
    let first: Lane | undefined;
    for (const lane of this.#lanes) {
      if (lane.frames.length > 0 && (first === undefined || this.#precedes(lane, first))) first = lane;
    }
    return first;
  }

  #precedes(a: Lane, b: Lane): boolean {
    const { captureNs, arrivalNs } = this.#world.ledger.workload;
    const one = a.frames[0] as number;
    const other = b.frames[0] as number;
    if (this.#rules.order === 'deadline') return (captureNs[one] as number) + a.deadlineNs < (captureNs[other] as number) + b.deadlineNs;
    if (a.rank !== b.rank) return a.rank > b.rank;
    return (arrivalNs[one] as number) < (arrivalNs[other] as number);
  }

  #laneOf(frame: number): Lane {
    return this.#lanes[this.#world.ledger.workload.stream[frame] as number] as Lane;
  }
}
