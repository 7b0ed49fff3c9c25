/** What comes after a random sequence once nothing disturbs any more: every server is ready, every call returns, one stream sends frames. */
import type { Dispatch } from '../../src/core/actions.js';
import type { StreamConfiguration } from '../../src/core/configuration.js';
import { micros, requestId } from '../../src/core/units.js';
import { type Books, medianUs } from './books.js';
import type { World } from './world.js';

/** Where neither a period nor a runtime is told. */
const PERIOD_US = 50_000;
const RUNTIME_US = 1_000;

const periodOf = (books: Books, stream: string): number => books.contractOf(stream).periodUs ?? PERIOD_US;

function runtimeUs(books: Books, { stream, variant }: Pick<Dispatch, 'stream' | 'variant'>): number {
  const of = books.modelOf(books.streamOf(stream)).variants.find(({ name }) => name === variant);
  return (of === undefined ? 0 : medianUs(of)) || RUNTIME_US;
}

/**
 * Whether the stream can have fresh results when it is alone: calls of unknown fate leave it a slot and an instance, forbid it nothing,
 * and a frame that came just before the slot was free is fresh after the slowest variant.
 */
export function isFeasible(books: Books, { name }: StreamConfiguration): boolean {
  const stream = books.streamOf(name);
  const { name: model, backend } = books.modelOf(stream);
  const slots = books.configuration.backends.find((one) => one.name === backend)?.slots ?? 0;
  const held = [...books.unknown].flatMap((id) => books.requests.get(id)?.dispatch ?? []).filter((call) => call.backend === backend);
  if (held.length >= slots) return false;
  if (held.some((call) => books.bannedBeside(model).includes(call.model))) return false;
  const usable = books.usableBy(name);
  const free = usable.filter(({ backendModel }) => {
    const taken = held.filter((call) => call.backendModel === backendModel).length;
    return taken < books.instancesOf(backendModel, slots);
  });
  const slowestUs = Math.max(...usable.map((variant) => runtimeUs(books, { stream: name, variant: variant.name })));
  const { maxAgeUs, deliveryBoundary, consumerPeriodUs = 0 } = stream.contract;
  const waitUs = deliveryBoundary === 'consumer' ? consumerPeriodUs : 0;
  return free.length > 0 && periodOf(books, name) + 2 * slowestUs + waitUs <= maxAgeUs;
}

/** @returns results of the stream in each of the seconds that follow, fresh ones or, where nothing is dropped, all. */
export function resultsInCalm(world: World, { name }: StreamConfiguration, seconds: number): number[] {
  const { books } = world;
  const beginUs = world.now;
  const endUs = beginUs + seconds * 1_000_000;
  const counts = new Array<number>(seconds).fill(0);
  const ends = new Map<number, number>();
  for (const id of books.open) if (!books.unknown.has(id)) ends.set(id, beginUs);
  const stream = books.streamOf(name);
  let seen = world.told.length;
  const look = () => {
    for (const { at, action } of world.told.slice(seen)) {
      if (action.type === 'dispatch') ends.set(action.request, Math.max(at, action.why.startUs ?? at) + runtimeUs(books, action));
      if (action.type !== 'terminate' || action.stream !== name) continue;
      const served = action.state === 'delivered' || (action.state === 'obsolete' && stream.queue.policy === 'never_drop');
      if (served && at < endUs) counts[Math.floor((at - beginUs) / 1_000_000)] = 1 + (counts[Math.floor((at - beginUs) / 1_000_000)] ?? 0);
    }
    seen = world.told.length;
  };
  world.send(beginUs, { type: 'resume' });
  for (const served of world.backendModels()) {
    world.send(world.now, { type: 'readiness', backend: served.backend, backendModel: served.name, ready: true });
  }
  look();
  for (let nextUs = world.now + 1; ; ) {
    const [first, firstEndUs] = [...ends].reduce((best, one) => (one[1] < best[1] ? one : best), [0, Number.POSITIVE_INFINITY]);
    const wakeUs = books.wakeUs ?? Number.POSITIVE_INFINITY;
    const at = Math.min(nextUs, firstEndUs, wakeUs);
    if (at > endUs) return counts;
    if (firstEndUs <= at) {
      ends.delete(first);
      world.send(at, { type: 'completion', request: requestId(first), end: { result: 'ok' } });
    } else if (nextUs <= at) {
      nextUs += periodOf(books, name);
      world.arrive(at, stream);
    } else {
      world.send(micros(Math.max(at, world.now)), { type: 'tick' });
    }
    look();
  }
}
