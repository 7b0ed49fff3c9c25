/** The rows of the messages of a sqlite3 file: how many there are, and those that can be found where it is damaged. */
import type { Database } from 'node-sqlite3-wasm';
import { Pauses } from '../../files/pauses.js';
import { type Channel, type LogSpan, type MessageCounts, spanOf } from './bag-file.js';
import type { Row } from './sqlite-tables.js';

/** A message without its content. */
export interface MessageRow {
  readonly id: number;
  readonly topicId: number;
  readonly logNs: bigint;
}

export type Channels = ReadonlyMap<number, Channel>;

/** @returns undefined for a row that is none of a message: what SQLite makes of a damaged page. */
export function messageRow(row: Row, channels: Channels): MessageRow | undefined {
  const { id, topic_id: topicId, timestamp } = row;
  const logNs = wholeOf(timestamp);
  const isMessage = typeof id === 'number' && typeof topicId === 'number' && channels.has(topicId);
  return isMessage && logNs !== undefined ? { id, topicId, logNs } : undefined;
}

export interface Census {
  readonly span: LogSpan | undefined;
  readonly promised: MessageCounts;
  /** Rows that are none of a message, and the first of them. */
  readonly damaged: number;
  readonly firstDamaged: number;
}

const TIMED = "typeof(timestamp) = 'integer'";
/** So many rows are counted without a pause. */
const PIECE_ROWS = 100_000;
const CENSUS = `SELECT topic_id, COUNT(*) AS rows, MIN(id) AS first, MAX(id) AS last, COUNT(CASE WHEN ${TIMED} THEN 1 END) AS timed,
    MIN(CASE WHEN ${TIMED} THEN NULL ELSE id END) AS firstUntimed,
    MIN(CASE WHEN ${TIMED} THEN timestamp END) AS start, MAX(CASE WHEN ${TIMED} THEN timestamp END) AS end
  FROM (SELECT id, topic_id, timestamp FROM messages NOT INDEXED WHERE id > ? ORDER BY id LIMIT ${PIECE_ROWS}) GROUP BY topic_id`;

/** Of a file that is whole. @throws {Error} when it is not: its rows cannot be gone through, or are not as many as its index says. */
export async function takeCensus(database: Database, channels: Channels): Promise<Census> {
  const promised = new Map<string, number>();
  let span: LogSpan | undefined;
  let all = 0;
  let damaged = 0;
  let firstDamaged = Number.POSITIVE_INFINITY;
  for await (const row of piecesOf(database)) {
    const topic = channels.get(Number(row['topic_id'] ?? Number.NaN))?.topic;
    const [rows, timed] = [Number(row['rows']), topic === undefined ? 0 : Number(row['timed'])];
    all += rows;
    damaged += rows - timed;
    if (timed < rows) firstDamaged = Math.min(firstDamaged, Number(topic === undefined ? row['first'] : row['firstUntimed']));
    if (topic === undefined || timed === 0) continue;
    promised.set(topic, (promised.get(topic) ?? 0) + timed);
    span = spanOf([span, { startNs: wholeOf(row['start']) ?? 0n, endNs: wholeOf(row['end']) ?? 0n }]);
  }
  const indexed = Number(Object.values(database.get('SELECT COUNT(*) FROM messages') ?? {})[0]);
  if (all !== indexed) throw new Error(`its index has ${indexed} messages, ${all} are there`);
  return { span, promised, damaged, firstDamaged };
}

/** The rows of the census, piece by piece: a bag can have millions, and a signal is to be heard meanwhile. */
async function* piecesOf(database: Database): AsyncGenerator<Row, void, undefined> {
  const pauses = new Pauses();
  const statement = database.prepare(CENSUS);
  let last = BigInt(Number.MIN_SAFE_INTEGER);
  for (let counted = PIECE_ROWS; counted === PIECE_ROWS; await pauses.take()) {
    const after = last;
    counted = 0;
    for (const row of statement.all([after])) {
      const highest = wholeOf(row['last']) ?? after;
      if (highest > last) last = highest;
      counted += Number(row['rows']);
      yield row;
    }
    if (counted > 0 && last === after) throw new Error('its rows are in no order');
  }
}

function wholeOf(value: unknown): bigint | undefined {
  return typeof value === 'bigint' ? value : typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Numbers that are tried beyond the last one that was found: where the highest one is lost, and where it is known. */
const BEYOND_LOST = 5000;
const BEYOND_KNOWN = 1_000_000;

export interface FoundRows {
  /** In order of time. */
  readonly rows: readonly MessageRow[];
  /** Number of a message: none that is known of has a higher one. */
  readonly highest: number;
  readonly damaged: number;
  readonly firstDamaged: number;
}

/** One by one: pages that are lost take only their own messages with them. */
export function findRows(database: Database, channels: Channels): FoundRows {
  const one = database.prepare('SELECT id, topic_id, timestamp FROM messages WHERE id = ?');
  const highest = attempt(() => Number(database.get('SELECT MAX(id) AS id FROM messages')?.['id'] ?? 0));
  const rows: MessageRow[] = [];
  const damaged: number[] = [];
  for (let id = 1, last = 0; id <= Math.min(highest ?? last + BEYOND_LOST, last + BEYOND_KNOWN); id += 1) {
    const row = attempt(() => one.get(id) ?? undefined);
    if (row === undefined) continue;
    last = id;
    const found = messageRow(row, channels);
    if (found === undefined) damaged.push(id);
    else rows.push(found);
  }
  return { highest: highest ?? rows.at(-1)?.id ?? 0, rows: rows.sort(inOrder), damaged: damaged.length, firstDamaged: damaged[0] ?? 0 };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined; // what is lost is told of as a whole
  }
}

export function inOrder(a: MessageRow, b: MessageRow): number {
  return a.logNs < b.logNs ? -1 : a.logNs > b.logNs ? 1 : a.id - b.id;
}
