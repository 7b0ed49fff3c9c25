/** A bench beside a server that runs the calls of each model in order. */
import type { Dispatch } from '../../src/core/actions.js';
import type { Bench } from './bench.js';

export interface Serving {
  /** The last instant, in ms. */
  readonly end: number;
  /** Calls to one model that run at once. */
  readonly instances: number;
  readonly runtimeOf: (call: Dispatch) => number;
  /** What comes from outside at an instant, after what ends then. @param serve to be called after each event that may start a call */
  readonly happen: (at: number, serve: () => void) => void;
}

interface Call {
  readonly id: number;
  readonly runtime: number;
  end: number | undefined;
}

export function playServed(bench: Bench, { end, instances, runtimeOf, happen }: Serving): void {
  const server = new Map<string, Call[]>();
  /** Hands the calls that the last event started to the server, and lets it begin what it can. */
  const serve = (at: number): void => {
    for (const action of bench.last) {
      if (action.type !== 'dispatch') continue;
      const queue = server.get(action.backendModel) ?? [];
      server.set(action.backendModel, queue);
      queue.push({ id: action.request, runtime: runtimeOf(action), end: undefined });
    }
    for (const queue of server.values()) {
      for (const call of queue.slice(0, instances)) call.end ??= at + call.runtime;
    }
  };
  for (let at = 0; at <= end; at += 1) {
    if (bench.wakeMs !== undefined && bench.wakeMs <= at) {
      bench.tick(at);
      serve(at);
    }
    for (const queue of server.values()) {
      for (const call of queue.filter((one) => one.end === at)) {
        queue.splice(queue.indexOf(call), 1);
        bench.complete(at, call.id);
        serve(at);
      }
    }
    happen(at, () => serve(at));
  }
}
