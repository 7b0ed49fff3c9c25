/** A bag against one contract or several: every message once, each contract in a virtual time of its own. */
import { messageOf } from '../governor/error-message.js';
import type { Header } from '../governor/ports.js';
import type { Channel } from './bag/bag-file.js';
import type { MessageBlock } from './bag/message-block.js';
import type { Bag } from './bag/open-bag.js';
import type { ReplayStream } from './contract-file.js';
import type { ContractRun } from './contract-run.js';
import { createHeaderReader, type HeaderReader } from './header-reader.js';

export interface ReplayOptions {
  readonly bag: Bag;
  readonly runs: readonly { readonly streams: readonly ReplayStream[]; readonly run: ContractRun }[];
  /** Called again and again, with how much of the bag is replayed: time for what waits for its turn. */
  readonly settle: (doneNs: number) => Promise<void>;
}

/** Where the messages of a topic go. */
interface Route {
  readonly read: HeaderReader;
  readonly targets: readonly { readonly run: ContractRun; readonly stream: string }[];
}

const NO_HEADER: Header = { stamp: { sec: 0, nanosec: 0 }, frameId: '' };

/** Brings every message of the bag to every stream that is subscribed to its topic, and every run to its end. */
export async function replay(options: ReplayOptions): Promise<void> {
  const { bag, runs, settle } = options;
  const wanted = new Set(runs.flatMap(({ streams }) => streams.map(({ topic }) => topic)));
  const router = new Router(options);
  for await (const { block, from, to } of bag.messages((topic) => wanted.has(topic))) {
    for (let index = from; index < to; index += 1) {
      const route = router.routeOf(block, index);
      if (route !== undefined) deliver(block, index, route);
    }
    await settle(block.sinceStartNs(to - 1));
  }
  for (const { run } of runs) run.finish();
  router.tellMissing();
}

function deliver(block: MessageBlock, index: number, { read, targets }: Route): void {
  let header: Header | undefined;
  let problem = '';
  try {
    header = read(block, index);
  } catch (error) {
    problem = messageOf(error);
  }
  const sinceStartNs = block.sinceStartNs(index);
  for (const { run, stream } of targets) {
    run.advance(sinceStartNs);
    if (header === undefined) run.refuse(stream, NO_HEADER, problem);
    else run.receive(stream, header, block.logNs(index));
  }
}

/** Finds out once a channel what its messages are, and tells once a topic why they cannot be replayed. */
class Router {
  readonly #options: ReplayOptions;
  /** By channel; undefined: its messages are left out. */
  readonly #routes = new Map<Channel, Route | undefined>();
  readonly #met = new Set<string>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  routeOf(block: MessageBlock, index: number): Route | undefined {
    const channel = block.channel(index);
    const known = this.#routes.get(channel);
    if (known !== undefined || this.#routes.has(channel)) return known;
    const route = this.#create(channel, block.file, block.at(index));
    this.#routes.set(channel, route);
    return route;
  }

  /** Topics of which nothing came. */
  tellMissing(): void {
    const { bag, runs } = this.#options;
    const there = [...new Set(bag.channels().map(({ topic }) => topic))].sort();
    const missing = new Set(runs.flatMap(({ streams }) => streams.map(({ topic }) => topic)).filter((topic) => !this.#met.has(topic)));
    for (const topic of missing) {
      const text = there.includes(topic)
        ? 'has no messages'
        : `is not in the bag; it has ${there.length === 0 ? 'no topics' : there.join(', ')}`;
      bag.problems.add({ file: bag.name, topic, text });
    }
  }

  #create(channel: Channel, file: string, at: string): Route | undefined {
    const { topic, type } = channel;
    const first = !this.#met.has(topic);
    this.#met.add(topic);
    const tell = (text: string): undefined => {
      if (first) this.#options.bag.problems.add({ file, topic, at, text });
    };
    const targets = this.#options.runs.flatMap(({ streams, run }) =>
      streams.filter((stream) => stream.topic === topic).map((stream) => ({ run, stream: stream.name, type: stream.type })),
    );
    for (const { stream, type: expected } of targets) {
      if (expected !== type)
        tell(`its type is ${type}, and stream '${stream}' expects ${expected}: the live node would receive nothing; replayed all the same`);
    }
    try {
      return { read: createHeaderReader(channel), targets };
    } catch (error) {
      return tell(`its messages cannot be read: ${messageOf(error)}`);
    }
  }
}
