/** How many messages came out of each file of a bag, against what the file and metadata.yaml say they have. */
import type { BagFile, Channel, MessageCounts, TopicFilter } from './bag-file.js';
import type { MessageRun } from './log-order.js';
import type { BagMetadata } from './metadata.js';
import type { BagProblems } from './problem.js';

export class ReadCounts {
  readonly #counts = new Map<Channel, number>();

  add({ block, from, to }: MessageRun): void {
    let channel = block.channel(from);
    let first = from;
    for (let index = from + 1; index < to; index += 1) {
      const next = block.channel(index);
      if (next === channel) continue;
      this.#count(channel, index - first);
      channel = next;
      first = index;
    }
    this.#count(channel, to - first);
  }

  /** Once everything has been read. */
  tell(files: readonly BagFile[], metadata: BagMetadata | undefined, wanted: TopicFilter, problems: BagProblems): void {
    const found = files.map((file) => this.#foundIn(file, problems));
    files.forEach(({ file, promised }, index) => {
      if (promised === undefined) return;
      const told = differences(found[index] ?? new Map(), promised, wanted);
      for (const { topic, missing, of } of told) {
        const text =
          missing > 0
            ? `${missing} of the ${of} messages that the file says it has could not be read`
            : `${-missing} messages more were read than the ${of} that the file says it has`;
        problems.add({ file, topic, text });
      }
    });
    if (metadata !== undefined)
      tellMetadata(metadata, files, sumOf(files.map(({ promised }, index) => promised ?? found[index] ?? new Map())), wanted, problems);
  }

  #count(channel: Channel, messages: number): void {
    this.#counts.set(channel, (this.#counts.get(channel) ?? 0) + messages);
  }

  /** With those that were left out one by one. */
  #foundIn(file: BagFile, problems: BagProblems): MessageCounts {
    const channels = [...file.channels()];
    const left = [...new Set(channels.map(({ topic }) => topic))].map((topic): [string, number] => [
      topic,
      problems.leftOut(file.file, topic),
    ]);
    return sumOf([...channels.map((channel) => new Map([[channel.topic, this.#counts.get(channel) ?? 0]])), new Map(left)]);
  }
}

interface Difference {
  readonly topic: string;
  /** Negative: so many too many. */
  readonly missing: number;
  readonly of: number;
}

function differences(found: MessageCounts, promised: MessageCounts, wanted: TopicFilter): Difference[] {
  return [...new Set([...promised.keys(), ...found.keys()])]
    .filter(wanted)
    .map((topic) => ({ topic, missing: (promised.get(topic) ?? 0) - (found.get(topic) ?? 0), of: promised.get(topic) ?? 0 }))
    .filter(({ missing }) => missing !== 0);
}

/** @param there messages in all files */
function tellMetadata(
  metadata: BagMetadata,
  files: readonly BagFile[],
  there: MessageCounts,
  wanted: TopicFilter,
  problems: BagProblems,
): void {
  const { file, promised, messageCount } = metadata;
  if (messageCount === 0) return; // so a recorder leaves it that did not finish
  const words = (missing: number, of: number): string =>
    missing > 0
      ? `${missing} of the ${of} messages that it names are not in the files`
      : `the files have ${-missing} messages more than the ${of} that it names`;
  const told = promised.size === 0 ? [] : differences(there, promised, wanted);
  for (const { topic, missing, of } of told) problems.add({ file, topic, text: words(missing, of) });
  const counts = files.map((one) => one.messageCount);
  if (told.length > 0 || counts.includes(undefined)) return;
  const all = counts.reduce((sum: number, count) => sum + (count ?? 0), 0);
  if (all !== messageCount) problems.add({ file, text: words(messageCount - all, messageCount) });
}

function sumOf(all: readonly MessageCounts[]): MessageCounts {
  const sum = new Map<string, number>();
  for (const counts of all) for (const [topic, count] of counts) sum.set(topic, (sum.get(topic) ?? 0) + count);
  return sum;
}
