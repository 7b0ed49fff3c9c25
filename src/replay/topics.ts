/** What a bag has on the topics of the streams, and what it has not. */
import { messageOf } from '../governor/error-message.js';
import type { Channel } from './bag/bag-file.js';
import type { MessageBlock } from './bag/message-block.js';
import type { Bag } from './bag/open-bag.js';

export interface TopicRoute<R> {
  readonly topic: string;
  readonly stream: string;
  /** package/msg/Name that the stream expects. */
  readonly type: string;
  readonly target: R;
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
  /** What becomes of messages of another type than the stream expects. */
  readonly otherTypes: 'kept' | 'left out';
}

const OTHER_TYPES = { kept: 'replayed all the same', 'left out': 'left out' } as const;

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
    const { bag, routes, createReader, otherTypes } = this.#options;
    const { topic, type } = channel;
    const first = !this.#met.has(topic);
    this.#met.add(topic);
    const tell = (text: string): void => {
      if (first) bag.problems.add({ file, topic, at, text });
    };
    const subscribed = routes.filter((route) => route.topic === topic);
    for (const { stream, type: expected } of subscribed) {
      const nothing = 'the live node would receive nothing';
      if (expected !== type)
        tell(`its type is ${type}, and stream '${stream}' expects ${expected}: ${nothing}; ${OTHER_TYPES[otherTypes]}`);
    }
    try {
      const targets = otherTypes === 'kept' ? subscribed : subscribed.filter((route) => route.type === type);
      return { read: createReader(channel), targets };
    } catch (error) {
      tell(`its messages cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  }
}
