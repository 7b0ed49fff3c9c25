/** What people write by hand: each stream keeps its queue and has one call at the server, which takes them as they come. */
import type { Policy, World } from './policy.js';
import { bestVariant } from './scenario.js';

interface Lane {
  readonly frames: number[];
  readonly capacity: number;
  readonly replaces: boolean;
  readonly variant: number;
  busy: boolean;
}

export class PerStreamClients implements Policy {
  readonly #world: World;
  readonly #lanes: readonly Lane[];

  constructor(world: World) {
    this.#world = world;
    this.#lanes = world.ledger.scenario.streams.map((stream) => ({
      frames: [],
      ...stream.queue,
      variant: bestVariant(stream),
      busy: false,
    }));
  }

  arrive(frame: number): void {
    const { ledger } = this.#world;
    const lane = this.#lanes[ledger.workload.stream[frame] as number] as Lane;
    if (lane.frames.length >= lane.capacity && !lane.replaces) {
      ledger.end(frame, 'infeasible');
      return;
    }
    if (lane.frames.length >= lane.capacity) ledger.end(lane.frames.shift() as number, 'superseded');
    lane.frames.push(frame);
    this.#send(lane);
  }

  tick(): void {}

  #send(lane: Lane): void {
    const frame = lane.busy ? undefined : lane.frames.shift();
    if (frame === undefined) return;
    lane.busy = true;
    const { server, ledger, time } = this.#world;
    server.send(frame, lane.variant, (answer) => {
      lane.busy = false;
      if (answer === 'ok') ledger.result(frame, time.nowNs);
      else ledger.end(frame, 'backend_failed');
      this.#send(lane);
    });
  }
}
