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

/** Something to say of the messages of one kind, from the first of them on. */
interface Note {
  readonly file: string;
  readonly topic: string;
  readonly at: string;
  readonly text: string;
  count: number;
}

interface MetChannel<R, Reader> {
  readonly route: ChannelRoute<R, Reader> | undefined;
  readonly notes: readonly Note[];
}

const WITHOUT_CONTENT = 'or set stamp_source: receive where it is enough to know when they came';

/** Finds out once a channel what its messages are, and tells at the end how many of each kind could not be replayed, and why. */
export class TopicRouter<R, Reader> {
  readonly #options: RouterOptions<R, Reader>;
  readonly #channels = new Map<Channel, MetChannel<R, Reader>>();
  /** By what they say: files of a bag say the same. */
  readonly #notes = new Map<string, Note>();
  readonly #wanted: ReadonlySet<string>;

  constructor(options: RouterOptions<R, Reader>) {
    this.#options = options;
    this.#wanted = new Set(options.routes.map(({ topic }) => topic));
  }

  readonly wants = (topic: string): boolean => this.#wanted.has(topic);

  /** @returns undefined for a message that is left out. */
  routeOf(block: MessageBlock, index: number): ChannelRoute<R, Reader> | undefined {
    const channel = block.channel(index);
    const { route, notes } = this.#channels.get(channel) ?? this.#meet(channel, block, index);
    for (const note of notes) note.count += 1;
    return route;
  }

  /** A message is not what its type promises: it ends as malformed. */
  unreadable(block: MessageBlock, index: number, error: unknown): void {
    const { topic, type } = block.channel(index);
    const names = namesOf(this.#options.routes.filter((route) => route.topic === topic));
    const text = `no ${type} and malformed for ${names}; look at what publishes them`;
    this.#options.bag.problems.count({ file: block.file, topic, at: block.at(index), text, detail: messageOf(error) });
  }

  /** Tells of what could not be replayed, and of topics of which nothing came. */
  tell(): void {
    const { bag } = this.#options;
    for (const { count, text, ...place } of this.#notes.values())
      bag.problems.add({ ...place, text: `${count} ${count === 1 ? 'message' : 'messages'} ${text}` });
    const met = new Set([...this.#channels.keys()].map(({ topic }) => topic));
    const there = [...new Set(bag.channels().map(({ topic }) => topic))].sort();
    for (const topic of this.#wanted) {
      if (met.has(topic)) continue;
      const others = there.length === 0 ? 'no topics' : there.join(', ');
      bag.problems.add({ file: bag.name, topic, text: there.includes(topic) ? 'has no messages' : `is not in the bag; it has ${others}` });
    }
  }

  #meet(channel: Channel, block: MessageBlock, index: number): MetChannel<R, Reader> {
    const { bag, routes } = this.#options;
    const { topic, type } = channel;
    const subscribed = routes.filter((route) => route.topic === topic);
    // Channels of a file without an index are not known before they come: what was taken for want of a better one ends here.
    if (subscribed.some((route) => route.type === type))
      for (const known of this.#channels.keys()) if (known.topic === topic && known.type !== type) this.#channels.delete(known);
    const said: string[] = [];
    const there = bag.channels().filter((other) => other.topic === topic);
    const route = this.#route(channel, subscribed, there, (text) => said.push(text));
    const notes = said.map((text) => this.#note({ file: block.file, topic, at: block.at(index), text, count: 0 }));
    const met = { route, notes };
    this.#channels.set(channel, met);
    return met;
  }

  #note(note: Note): Note {
    const key = `${note.topic} ${note.text}`;
    const known = this.#notes.get(key) ?? note;
    this.#notes.set(key, known);
    return known;
  }

  /** @param there what the bag has on the topic @param say what its messages are */
  #route(
    channel: Channel,
    subscribed: readonly TopicRoute<R>[],
    there: readonly Channel[],
    say: (text: string) => void,
  ): ChannelRoute<R, Reader> | undefined {
    const { createReader, receptionReader } = this.#options;
    const others = subscribed.filter(({ type }) => type !== channel.type);
    const kind = channel.type === '' ? `without a type (${channel.encoding})` : `of type ${channel.type} (${channel.encoding})`;
    const isReplaced = ({ type }: TopicRoute<R>) => receptionReader === undefined || there.some((other) => other.type === type);
    const left = others.filter(isReplaced);
    for (const expects of expectations(left)) say(`${kind}; ${expects}: the live node would receive nothing; left out`);
    let route: ChannelRoute<R, Reader>;
    const targets = subscribed.filter((one) => !left.includes(one));
    if (targets.length === 0) return undefined;
    try {
      route = { read: createReader(channel), targets };
    } catch (error) {
      const replayed = receptionReader === undefined ? [] : targets.filter(({ receptionOnly }) => receptionOnly);
      const without = targets.filter((target) => !replayed.includes(target));
      const remedy = receptionReader === undefined ? '' : `, ${WITHOUT_CONTENT}`;
      const why = channel.type === '' ? 'their channel has no schema' : messageOf(error);
      if (without.length > 0) say(`${kind}, which cannot be read, ${namesOf(without)} goes without: ${why}${remedy}`);
      if (receptionReader === undefined || replayed.length === 0) return undefined;
      route = { read: receptionReader, targets: replayed };
    }
    for (const expects of expectations(route.targets.filter((one) => others.includes(one))))
      say(`${kind}; ${expects}: the live node would receive nothing; replayed all the same`);
    return route;
  }
}

function expectations(routes: readonly TopicRoute<unknown>[]): ReadonlySet<string> {
  return new Set(routes.map(({ stream, type }) => `stream '${stream}' expects ${type}`));
}

function namesOf(routes: readonly TopicRoute<unknown>[]): string {
  return `stream ${[...new Set(routes.map(({ stream }) => `'${stream}'`))].join(', ')}`;
}
