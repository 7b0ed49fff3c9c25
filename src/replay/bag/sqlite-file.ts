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
  /** Of a damaged file: the rows that are still there, in order of time. */
  #found: readonly Row[] | undefined;

  private constructor(file: string, database: Database, isWhole: boolean, problems: BagProblems) {
    this.file = file;
    this.#database = database;
    this.#problems = problems;
    this.#channels = readChannels(database);
    let bounds = isWhole ? attempt(() => readBounds(database)) : undefined;
    if (bounds === undefined) {
      this.#found = findRows(database);
      bounds = boundsOf(this.#found);
      if (isWhole) problems.add({ file, text: 'the file is damaged, what can still be found is replayed' });
    }
    const { span, count } = bounds;
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
      if (cutOff !== undefined) database.exec('PRAGMA writable_schema = ON'); // else nothing of it can be read; nothing is written
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
    const rows = this.#rows(topics);
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

  /** In order of time. Where the list of them is damaged, each of the rest is looked for by itself. */
  *#rows(topics: readonly number[]): Generator<Row, void, undefined> {
    let last: Row | undefined;
    if (this.#found === undefined) {
      try {
        for (const row of this.#ordered(topics)) {
          last = row;
          yield row;
        }
        return;
      } catch (error) {
        const text = `the file is damaged, what can still be found is replayed: ${messageOf(error)}`;
        this.#problems.add({ file: this.file, ...(last === undefined ? {} : { at: `after message ${last['id']}` }), text });
      }
    }
    this.#found ??= findRows(this.#database);
    for (const row of this.#found) {
      if (topics.includes(Number(row['topic_id'])) && (last === undefined || inOrder(last, row) < 0)) yield row;
    }
  }

  /** Times alone: without an index on them whole messages would be sorted, in memory. */
  *#ordered(topics: readonly number[]): Generator<Row, void, undefined> {
    const query = `SELECT id, topic_id, timestamp FROM messages WHERE topic_id IN (${topics.join(', ')}) ORDER BY timestamp, id`;
    yield* this.#database.prepare(query).iterate();
  }

  #load(rows: Iterator<Row>, data: Statement, block: MessageBlock, rest: (sinceStartNs: number) => Segment): LoadedSegment {
    let bytes = 0;
    while (block.count < PIECE_MESSAGES && bytes < PIECE_BYTES) {
      const { value: row, done } = rows.next();
      if (done === true) return { block };
      bytes += this.#add(row, data, block);
    }
    return { block, next: rest(block.count === 0 ? 0 : block.sinceStartNs(block.count - 1)) };
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

/** Numbers that are tried beyond the last one that was found: where the highest one is lost, and where it is known. */
const BEYOND_LOST = 5000;
const BEYOND_KNOWN = 1_000_000;

/** One by one: pages that are lost take only their own messages with them. */
function findRows(database: Database): readonly Row[] {
  const one = database.prepare('SELECT id, topic_id, timestamp FROM messages WHERE id = ?');
  const highest = attempt(() => Number(database.get('SELECT MAX(id) AS id FROM messages')?.['id'] ?? 0));
  const found: Row[] = [];
  for (let id = 1, last = 0; id <= Math.min(highest ?? last + BEYOND_LOST, last + BEYOND_KNOWN); id += 1) {
    const row = attempt(() => one.get(id) ?? undefined);
    if (row === undefined) continue;
    last = id;
    found.push(row);
  }
  return found.sort(inOrder);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined; // what is lost is told of as a whole
  }
}

function inOrder(a: Row, b: Row): number {
  const aNs = wholeOf(a['timestamp']);
  const bNs = wholeOf(b['timestamp']);
  return aNs < bNs ? -1 : aNs > bNs ? 1 : Number(a['id']) - Number(b['id']);
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
