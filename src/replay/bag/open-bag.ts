/** A bag as its owner names it: a folder with or without metadata.yaml, or one file of it. */

import type { BagFile, Channel, LogSpan, TopicFilter } from './bag-file.js';
import { filesOf } from './bag-files.js';
import { inLogOrder, type MessageRun } from './log-order.js';
import { spanOfBag } from './log-times.js';
import type { BagMetadata } from './metadata.js';
import { openBagFile } from './open-file.js';
import { BagError, BagProblems } from './problem.js';
import { ReadCounts } from './read-counts.js';
import { Workspace } from './workspace.js';

interface BagParts {
  readonly files: readonly BagFile[];
  readonly metadata: BagMetadata | undefined;
  readonly span: LogSpan | undefined;
  readonly problems: BagProblems;
  readonly workspace: Workspace;
}

export class Bag {
  /** As the user named it. */
  readonly name: string;
  readonly problems: BagProblems;
  readonly span: LogSpan | undefined;
  readonly #parts: BagParts;

  private constructor(name: string, parts: BagParts) {
    this.name = name;
    this.problems = parts.problems;
    this.span = parts.span;
    this.#parts = parts;
  }

  /** @throws {BagError} when nothing of it can be read. @throws {WriteError} when there is no room for what has to be unpacked. */
  static async open(name: string): Promise<Bag> {
    const problems = new BagProblems();
    const workspace = await Workspace.create();
    const files: BagFile[] = [];
    try {
      const { paths, metadata } = await filesOf(name, problems);
      const failures: BagError[] = [];
      for (const file of paths) {
        try {
          files.push(await openBagFile(file, workspace, problems));
        } catch (error) {
          if (!(error instanceof BagError)) throw error;
          failures.push(error);
        }
      }
      const [first] = failures;
      if (files.length === 0) throw first ?? new BagError('not_found', { file: name, text: 'there is no bag file in this folder' });
      for (const { problem } of failures) problems.add(problem);
      const span = await problems.quietly(() => spanOfBag(files));
      return new Bag(name, { files, metadata, span, problems, workspace });
    } catch (error) {
      for (const file of files) await file.close();
      workspace.close();
      throw error;
    }
  }

  /** Messages as the files count them, of all topics; absent where one does not say. */
  get messageCount(): number | undefined {
    const counts = this.#parts.files.map(({ messageCount }) => messageCount);
    return counts.includes(undefined) ? undefined : counts.reduce((sum: number, count) => sum + (count ?? 0), 0);
  }

  /** In order of log time; what cannot be read is a problem, and once all of it is read, what is missing. */
  async *messages(wanted: TopicFilter): AsyncGenerator<MessageRun, void, undefined> {
    const { files, metadata, span = { startNs: 0n, endNs: 0n }, problems } = this.#parts;
    const counts = new ReadCounts();
    let lastNs = 0;
    for await (const run of inLogOrder(files.flatMap((file) => file.segments(wanted, span)))) {
      const { block, from, to } = run;
      counts.add(run);
      for (let index = from; index < to && block.sinceStartNs(index) < lastNs; index += 1)
        problems.count({ file: block.file, topic: block.channel(index).topic, at: block.at(index), text: LATE });
      lastNs = Math.max(lastNs, block.sinceStartNs(to - 1));
      yield run;
    }
    counts.tell(files, metadata, wanted, problems);
  }

  /** The topics met so far; all of them once everything has been read. */
  channels(): readonly Channel[] {
    return this.#parts.files.flatMap((file) => [...file.channels()]);
  }

  async close(): Promise<void> {
    for (const file of this.#parts.files) await file.close();
    this.#parts.workspace.close();
  }
}

const LATE = 'older than the head of their chunk says, and replayed too late';
