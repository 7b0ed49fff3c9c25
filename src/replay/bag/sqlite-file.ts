/** One sqlite3 file of rosbag2, of any version of its schema. */
import { mkdir, open as openFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Database, Statement } from 'node-sqlite3-wasm';
import sqlite from 'node-sqlite3-wasm';
import { messageOf } from '../../governor/error-message.js';
import { type BagFile, type Channel, fullTypeName, type LoadedSegment, type LogSpan, type Segment, type TopicFilter } from './bag-file.js';
import { decompressorsReady, decompressZstd, isZstd } from './decompress.js';
import { MessageBlock } from './message-block.js';
import type { BagProblem, BagProblems } from './problem.js';

/** A piece ends after so many messages, or so many bytes. */
const PIECE_MESSAGES = 2000;
const PIECE_BYTES = 8 << 20;

type Row = Record<string, unknown>;

export class SqliteFile implements BagFile {
  readonly file: string;
  readonly span: LogSpan | undefined;
  readonly messageCount: number | undefined;
  readonly #database: Database;
  readonly #channels: ReadonlyMap<number, Channel>;
  readonly #problems: BagProblems;
  /** Of a file that is cut off: the rows that are still there, in order of time. */
  readonly #found: readonly Row[] | undefined;

  private constructor(file: string, database: Database, isWhole: boolean, problems: BagProblems) {
    this.file = file;
    this.#database = database;
    this.#problems = problems;
    this.#channels = readChannels(database);
    this.#found = isWhole ? undefined : this.#listFound();
    const { span, count } = this.#found === undefined ? readBounds(database) : boundsOf(this.#found);
    this.span = span;
    this.messageCount = count;
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
    if (cutOff !== undefined) problems.add({ file, ...cutOff });
    const database = new sqlite.Database(link, { readOnly: true });
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE'); // a write-ahead log can be read without shared memory then
      return new SqliteFile(file, database, cutOff === undefined, problems);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  segments(wanted: TopicFilter, startNs: bigint): readonly Segment[] {
    const topics = [...this.#channels].filter(([, { topic }]) => wanted(topic)).map(([id]) => id);
    if (this.span === undefined || topics.length === 0) return [];
    const data = this.#database.prepare('SELECT data FROM messages WHERE id = ?');
    const rows =
      this.#found === undefined ? this.#inOrder(topics) : this.#found.filter((row) => topics.includes(Number(row['topic_id']))).values();
    const segment = (sinceStartNs: number): Segment => ({
      sinceStartNs,
      load: async () => this.#load(rows, data, new MessageBlock(this.file, 'message', startNs), segment),
    });
    return [segment(Number(this.span.startNs - startNs))];
  }

  channels(): Iterable<Channel> {
    return this.#channels.values();
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** Times alone: without an index on them whole messages would be sorted, in memory. */
  #inOrder(topics: readonly number[]): Iterator<Row> {
    const query = `SELECT id, topic_id, timestamp FROM messages WHERE topic_id IN (${topics.join(', ')}) ORDER BY timestamp, id`;
    return this.#database.prepare(query).iterate();
  }

  /** By number, as far as the table can be walked; indices are the first to be lost at the end of a file. */
  #listFound(): readonly Row[] {
    const found: Row[] = [];
    const rows = this.#database.prepare('SELECT id, topic_id, timestamp FROM messages NOT INDEXED ORDER BY id').iterate();
    for (let row = this.#next(rows); row !== undefined; row = this.#next(rows)) found.push(row);
    return found.sort((a, b) => Number(wholeOf(a['timestamp']) - wholeOf(b['timestamp'])));
  }

  #load(rows: Iterator<Row>, data: Statement, block: MessageBlock, rest: (sinceStartNs: number) => Segment): LoadedSegment {
    let bytes = 0;
    while (block.count < PIECE_MESSAGES && bytes < PIECE_BYTES) {
      const row = this.#next(rows);
      if (row === undefined) return { block };
      bytes += this.#add(row, data, block);
    }
    return { block, next: rest(block.count === 0 ? 0 : block.sinceStartNs(block.count - 1)) };
  }

  #next(rows: Iterator<Row>): Row | undefined {
    try {
      const { value, done } = rows.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.#problems.add({ file: this.file, text: `the list of messages is damaged, what follows is left out: ${messageOf(error)}` });
      return undefined;
    }
  }

  /** @returns how many bytes it has. */
  #add(row: Row, statement: Statement, block: MessageBlock): number {
    const id = Number(row['id']);
    const channel = this.#channels.get(Number(row['topic_id']));
    if (channel === undefined) return 0;
    try {
      const stored = statement.get(id)?.['data'];
      if (!(stored instanceof Uint8Array)) throw new Error('it has no data');
      const buffer = isZstd(stored) ? decompressZstd(stored) : stored;
      block.add(channel, wholeOf(row['timestamp']), buffer, 0, buffer.byteLength, id);
      return buffer.byteLength;
    } catch (error) {
      const text = `this message is damaged and left out: ${messageOf(error)}`;
      this.#problems.add({ file: this.file, topic: channel.topic, at: `message ${id}`, text });
      return 0;
    }
  }
}

const HEADER_BYTES = 100;

/** SQLite itself takes what is beyond the end of a file for zeros. */
async function whyNotWhole(source: string): Promise<Pick<BagProblem, 'at' | 'text'> | undefined> {
  const handle = await openFile(source);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await handle.read(header, 0, HEADER_BYTES, 0);
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const promised = header.readUInt32BE(28) * pageBytes;
    const { size } = await handle.stat();
    if (size >= promised) return undefined;
    return {
      at: `offset ${size}`,
      text: `the file is cut off here, it should have ${promised} bytes; what can still be found is replayed`,
    };
  } finally {
    await handle.close();
  }
}

interface Bounds {
  readonly span: LogSpan | undefined;
  readonly count: number;
}

function readBounds(database: Database): Bounds {
  // One query each: a minimum alone comes from the index.
  const one = (what: string) => Object.values(rowsOf(database, `SELECT ${what} FROM messages`)[0] ?? {})[0];
  const count = Number(one('COUNT(*)'));
  if (count === 0) return { span: undefined, count };
  return { span: { startNs: wholeOf(one('MIN(timestamp)')), endNs: wholeOf(one('MAX(timestamp)')) }, count };
}

function boundsOf(rows: readonly Row[]): Bounds {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return { span: undefined, count: 0 };
  return { span: { startNs: wholeOf(first['timestamp']), endNs: wholeOf(last['timestamp']) }, count: rows.length };
}

function readChannels(database: Database): ReadonlyMap<number, Channel> {
  const definitions = readDefinitions(database);
  return new Map(
    rowsOf(database, 'SELECT * FROM topics').map((row) => {
      const type = fullTypeName(String(row['type']));
      const definition = definitions.get(type);
      const encoding = String(row['serialization_format']);
      return [Number(row['id']), { topic: String(row['name']), type, encoding, ...(definition === undefined ? {} : { definition }) }];
    }),
  );
}

/** Newer bags have a table of them. */
function readDefinitions(database: Database): ReadonlyMap<string, { encoding: string; text: string }> {
  const table = rowsOf(database, "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'message_definitions'");
  if (table.length === 0) return new Map();
  return new Map(
    rowsOf(database, 'SELECT topic_type, encoding, encoded_message_definition FROM message_definitions')
      .map((row) => ({
        type: String(row['topic_type']),
        encoding: String(row['encoding']),
        text: String(row['encoded_message_definition']),
      }))
      .filter(({ text }) => text !== '')
      .map(({ type, encoding, text }) => [fullTypeName(type), { encoding, text }]),
  );
}

function rowsOf(database: Database, query: string): readonly Row[] {
  return database.all(query);
}

function wholeOf(value: unknown): bigint {
  return typeof value === 'bigint' ? value : BigInt(typeof value === 'number' ? value : 0);
}
