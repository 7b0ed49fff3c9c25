/** What a bag has on the topics of the streams, and what it has not. */
import { messageOf } from '../governor/error-message.js';
import type { Channel } from './bag/bag-file.js';
import type { MessageBlock } from './bag/message-block.js';
import type { Bag } from './bag/open-bag.js';
import type { ReplayContract } from './contract-file.js';

export interface TopicRoute<R> {
  readonly topic: string;
  readonly stream: string;
  /** package/msg/Name that the stream expects. */
  readonly type: string;
  /** Whether a message says nothing but that it came: its reception is its capture, and its content is not needed. */
  readonly receptionOnly: boolean;
  readonly target: R;
}

/** Of every stream of a contract. */
export function routesOf<R>({ streams }: ReplayContract, target: R): TopicRoute<R>[] {
  return streams.map(({ name, topic, type, receptionOnly }) => ({ topic, stream: name, type, receptionOnly, target }));
}

/** Where the messages of one channel go, and how they are read. */
export interface ChannelRoute<R, Reader> {
  readonly read: Reader;
  readonly targets: readonly TopicRoute<R>[];
}

export interface RouterOptions<R, Reader> {
  readonly bag: Bag;
  readonly routes: readonly TopicRoute<R>[];
  /** @throws {Error} when messages of the channel cannot be read. */
  readonly createReader: (channel: Channel) => Reader;
  /**
   * Reads of a message what its reception says. Absent where streams need the content: then messages of another type than a stream expects
   * are left out.
   */
  readonly receptionReader?: Reader;
}

const WITHOUT_CONTENT = 'or set stamp_source: receive where it is enough to know when they came';

/** Finds out once a channel what its messages are, and tells once a topic why they cannot be replayed. */
export class TopicRouter<R, Reader> {
  readonly #options: RouterOptions<R, Reader>;
  /** By channel; undefined: its messages are left out. */
  readonly #channels = new Map<Channel, ChannelRoute<R, Reader> | undefined>();
  readonly #met = new Set<string>();
  readonly #wanted: ReadonlySet<string>;

  constructor(options: RouterOptions<R, Reader>) {
    this.#options = options;
    this.#wanted = new Set(options.routes.map(({ topic }) => topic));
  }

  readonly wants = (topic: string): boolean => this.#wanted.has(topic);

  routeOf(block: MessageBlock, index: number): ChannelRoute<R, Reader> | undefined {
    const channel = block.channel(index);
    const known = this.#channels.get(channel);
    if (known !== undefined || this.#channels.has(channel)) return known;
    const route = this.#create(channel, block.file, block.at(index));
    this.#channels.set(channel, route);
    return route;
  }

  /** Tells of topics of which nothing came. */
  tellMissing(): void {
    const { bag } = this.#options;
    const there = [...new Set(bag.channels().map(({ topic }) => topic))].sort();
    for (const topic of this.#wanted) {
      if (this.#met.has(topic)) continue;
      const others = there.length === 0 ? 'no topics' : there.join(', ');
      bag.problems.add({ file: bag.name, topic, text: there.includes(topic) ? 'has no messages' : `is not in the bag; it has ${others}` });
    }
  }

  #create(channel: Channel, file: string, at: string): ChannelRoute<R, Reader> | undefined {
    const { bag, routes, createReader, receptionReader } = this.#options;
    const { topic, type } = channel;
    const first = !this.#met.has(topic);
    this.#met.add(topic);
    const tell = (text: string): void => {
      if (first) bag.problems.add({ file, topic, at, text });
    };
    const subscribed = routes.filter((route) => route.topic === topic);
    const others = subscribed.filter((route) => route.type !== type);
    const fate = `the live node would receive nothing; ${receptionReader === undefined ? 'left out' : 'replayed all the same'}`;
    for (const expects of new Set(others.map((route) => `stream '${route.stream}' expects ${route.type}`)))
      tell(`its type is ${type}, and ${expects}: ${fate}`);
    const targets = receptionReader === undefined ? subscribed.filter((route) => !others.includes(route)) : subscribed;
    if (targets.length === 0) return undefined;
    try {
      return { read: createReader(channel), targets };
    } catch (error) {
      const replayed = receptionReader === undefined ? [] : targets.filter(({ receptionOnly }) => receptionOnly);
      const without = targets.filter((target) => !replayed.includes(target));
      const names = [...new Set(without.map(({ stream }) => `'${stream}'`))].join(', ');
      const remedy = receptionReader === undefined ? '' : `, ${WITHOUT_CONTENT}`;
      if (without.length > 0) tell(`its messages cannot be read, stream ${names} goes without: ${messageOf(error)}${remedy}`);
      return receptionReader === undefined ? undefined : { read: receptionReader, targets: replayed };
    }
  }
}
