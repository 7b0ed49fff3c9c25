/** The topics of a sqlite3 file of rosbag2, of any version of its schema. */
import type { Database } from 'node-sqlite3-wasm';
import { type Channel, fullTypeName } from './bag-file.js';

export type Row = Record<string, unknown>;

/** By their number in the file. */
export function readChannels(database: Database): ReadonlyMap<number, Channel> {
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
