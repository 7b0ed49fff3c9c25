/** An sqlite3 file of rosbag2, of chosen messages. */
import sqlite from 'node-sqlite3-wasm';
import { headerBytes, type MadeMessage, ns } from './made-bag.js';

const SCHEMA = `
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);`;

export function makeSqlite(file: string, messages: Iterable<MadeMessage>, type = 'sensor_msgs/msg/Image'): void {
  const database = new sqlite.Database(file);
  database.exec(SCHEMA);
  const ids = new Map<string, number>();
  database.exec('BEGIN');
  const add = database.prepare('INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)');
  for (const { topic, logMs, stampMs } of messages) {
    const id = ids.get(topic) ?? ids.size + 1;
    if (!ids.has(topic)) database.run('INSERT INTO topics VALUES (?, ?, ?, ?, ?)', [id, topic, type, 'cdr', '']);
    ids.set(topic, id);
    add.run([id, ns(logMs), headerBytes(ns(stampMs), 'cam')]);
  }
  database.exec('COMMIT');
  add.finalize();
  database.close();
}
