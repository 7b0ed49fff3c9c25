/** One sqlite3 file of rosbag2, of any version of its schema. */
import { mkdir, open as openFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Database, Statement } from 'node-sqlite3-wasm';
import sqlite from 'node-sqlite3-wasm';
import { messageOf } from '../../governor/error-message.js';
import {
  type BagFile,
  type Channel,
  type LoadedSegment,
  type LogSpan,
  type MessageCounts,
  type Segment,
  sinceStartOf,
  type TopicFilter,
} from './bag-file.js';
import { decompressorsReady, decompressZstd, isZstd } from './decompress.js';
import { MessageBlock } from './message-block.js';
import { type BagProblem, type BagProblems, OUT_OF_SPAN } from './problem.js';
import { type Census, type Channels, findRows, inOrder, type MessageRow, messageRow, takeCensus } from './sqlite-rows.js';
import { readChannels } from './sqlite-tables.js';

/** A piece ends after so many messages, or so many bytes. */
const PIECE_MESSAGES = 2000;
const PIECE_BYTES = 8 << 20;

type Damage = Pick<BagProblem, 'at' | 'text'>;

export class SqliteFile implements BagFile {
  readonly file: string;
  readonly span: LogSpan | undefined;
  readonly messageCount: number | undefined;
  readonly promised: MessageCounts | undefined;
  readonly #database: Database;
  readonly #channels: Channels;
  readonly #problems: BagProblems;
  /** Of a damaged file: the rows that are still there, in order of time. */
  #found: readonly MessageRow[] | undefined;

  private constructor(file: string, database: Database, channels: Channels, census: Census | Damage, problems: BagProblems) {
    this.file = file;
    this.#database = database;
    this.#problems = problems;
    this.#channels = channels;
    if ('text' in census) {
      const rows = this.#find(census);
      const [first, last] = [rows[0], rows.at(-1)];
      this.span = first === undefined || last === undefined ? undefined : { startNs: first.logNs, endNs: last.logNs };
      return;
    }
    this.span = census.span;
    this.promised = census.promised;
    this.messageCount = [...census.promised.values()].reduce((sum, count) => sum + count, 0) + census.damaged;
    this.#tellDamaged(census);
  }

  /**
   * @param file its name for messages to people
   * @param workspace a folder of our own: nothing is written beside the bag, not even a lock
   * @throws {Error} when it cannot be read at all.
   */
  static async open(file: string, source: string, workspace: string, problems: BagProblems): Promise<SqliteFile> {
    await decompressorsReady;
    await mkdir(workspace);
    const link = path.join(workspace, 'bag.db3');
    await symlink(path.resolve(source), link);
    const log = `${path.resolve(source)}-wal`;
    if (((await stat(log).catch(() => undefined))?.size ?? 0) > 0) await symlink(log, `${link}-wal`);
    const cutOff = await whyNotWhole(source);
    const database = new sqlite.Database(link, { readOnly: true });
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE'); // a write-ahead log can be read without shared memory then
      if (cutOff !== undefined) database.exec('PRAGMA writable_schema = ON'); // else nothing of it can be read; nothing is written
      const channels = readChannels(database);
      return new SqliteFile(file, database, channels, cutOff ?? (await census(database, channels)), problems);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  segments(wanted: TopicFilter, span: LogSpan): readonly Segment[] {
    const topics = [...this.#channels].filter(([, { topic }]) => wanted(topic)).map(([id]) => id);
    if (this.span === undefined || topics.length === 0) return [];
    const data = this.#database.prepare('SELECT data FROM messages WHERE id = ?');
    const rows = this.#rows(topics);
    const segment = (sinceStartNs: number): Segment => ({
      sinceStartNs,
      load: async () => this.#load(rows, data, new MessageBlock(this.file, 'message', span), segment),
    });
    return [segment(sinceStartOf(this.span.startNs, span))];
  }

  async logTimes(): Promise<readonly bigint[]> {
    const known = this.#found;
    const times = [...this.#rows([...this.#channels.keys()])].map(({ logNs }) => logNs);
    this.#found = known; // damage is found once more, and told, when messages are read
    return times;
  }

  channels(): Iterable<Channel> {
    return this.#channels.values();
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** All that is left, which is told together with the reason. */
  #find({ at, text }: Damage): readonly MessageRow[] {
    const found = findRows(this.#database, this.#channels);
    const { rows, highest } = found;
    const whole = `${text}; what can still be found is replayed: ${rows.length} messages, which are numbered up to ${highest}`;
    this.#problems.add({ file: this.file, ...(at === undefined ? {} : { at }), text: whole });
    this.#tellDamaged(found);
    this.#found = rows;
    return rows;
  }

  #tellDamaged({ damaged, firstDamaged }: Pick<Census, 'damaged' | 'firstDamaged'>): void {
    if (damaged === 0) return;
    const text = 'damaged and left out: rows that name no topic, or no time';
    this.#problems.leaveOut({ file: this.file, at: `message ${firstDamaged}`, text }, damaged);
  }

  /** In order of time. Where the list of them is damaged, each of the rest is looked for by itself. */
  *#rows(topics: readonly number[]): Generator<MessageRow, void, undefined> {
    let last: MessageRow | undefined;
    let damage: Damage = { text: 'the file is damaged' };
    if (this.#found === undefined) {
      try {
        for (const row of this.#ordered(topics)) {
          last = row;
          yield row;
        }
        return;
      } catch (error) {
        damage = { text: `the file is damaged: ${messageOf(error)}`, ...(last === undefined ? {} : { at: `after message ${last.id}` }) };
      }
    }
    for (const row of this.#found ?? this.#find(damage)) {
      if (topics.includes(row.topicId) && (last === undefined || inOrder(last, row) < 0)) yield row;
    }
  }

  /** Times alone: without an index on them whole messages would be sorted, in memory. */
  *#ordered(topics: readonly number[]): Generator<MessageRow, void, undefined> {
    const query = `SELECT id, topic_id, timestamp FROM messages WHERE topic_id IN (${topics.join(', ')}) ORDER BY timestamp, id`;
    for (const row of this.#database.prepare(query).iterate()) {
      const message = messageRow(row, this.#channels);
      if (message !== undefined) yield message; // what is none was counted when the file was opened
    }
  }

  #load(rows: Iterator<MessageRow>, data: Statement, block: MessageBlock, rest: (sinceStartNs: number) => Segment): LoadedSegment {
    let bytes = 0;
    while (block.count < PIECE_MESSAGES && bytes < PIECE_BYTES) {
      const { value: row, done } = rows.next();
      if (done === true) return { block };
      bytes += this.#add(row, data, block);
    }
    return { block, next: rest(block.count === 0 ? 0 : block.sinceStartNs(block.count - 1)) };
  }

  /** @returns how many bytes it has. */
  #add({ id, topicId, logNs }: MessageRow, statement: Statement, block: MessageBlock): number {
    const channel = this.#channels.get(topicId);
    if (channel === undefined) return 0;
    const leaveOut = (text: string, detail: string): void =>
      this.#problems.leaveOut({ file: this.file, topic: channel.topic, at: `message ${id}`, text, detail });
    try {
      const stored = statement.get(id)?.['data'];
      if (!(stored instanceof Uint8Array)) throw new Error('it has no data');
      const buffer = isZstd(stored) ? decompressZstd(stored) : stored;
      if (!block.add(channel, logNs, buffer, 0, buffer.byteLength, id)) leaveOut(OUT_OF_SPAN, `log time ${logNs} ns`);
      return buffer.byteLength;
    } catch (error) {
      leaveOut('damaged and left out', messageOf(error));
      return 0;
    }
  }
}

async function census(database: Database, channels: Channels): Promise<Census | Damage> {
  try {
    return await takeCensus(database, channels);
  } catch (error) {
    return { text: `the file is damaged: ${messageOf(error)}` };
  }
}

const HEADER_BYTES = 100;

/** SQLite itself takes what is beyond the end of a file for zeros. */
async function whyNotWhole(source: string): Promise<Damage | undefined> {
  const handle = await openFile(source);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await handle.read(header, 0, HEADER_BYTES, 0);
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const promised = header.readUInt32BE(28) * pageBytes;
    const { size } = await handle.stat();
    if (size >= promised) return undefined;
    return { at: `offset ${size}`, text: `the file is cut off here, it should have ${promised} bytes` };
  } finally {
    await handle.close();
  }
}
