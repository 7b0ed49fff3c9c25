// @ts-check
// Preloaded into `bin/vig run` (NODE_OPTIONS=--import=…): notes when a frame passes four points of the compiled node, and writes one row
// a frame as JSON to the file that VIG_BENCH_STAMPS names; see `stampRow` in recording.ts. The node itself knows nothing of it.
import { writeFileSync } from 'node:fs';

/** @typedef {{ receivedUs: number, enteredMs: number, handedOverMs: number, answeredMs: number }} Passage */

/** @param {string} file */
const compiled = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
/** @type {typeof import('../src/ros/stream-input.js')} */
const { StreamInput } = await compiled('ros/stream-input.js');
/** @type {typeof import('../src/ros/ros-publisher.js')} */
const { RosPublisher } = await compiled('ros/ros-publisher.js');
/** @type {typeof import('../src/triton/connection.js')} */
const { Connection } = await compiled('triton/connection.js');

const { receive } = StreamInput.prototype;
const { infer } = Connection.prototype;
const { result } = RosPublisher.prototype;

/** @type {object[]} */
const rows = [];
/** @type {Map<string, Passage>} calls by request */
const passages = new Map();
/** @type {{ stampUs: number, enteredMs: number } | undefined} the message whose callback runs now */
let received;

/** @param {import('../src/governor/ports.js').Header['stamp']} stamp */
const microseconds = ({ sec, nanosec }) => sec * 1e6 + Math.floor(nanosec / 1000);

StreamInput.prototype.receive = function (message, info) {
  const enteredMs = performance.now();
  const { header } = /** @type {{ header: import('../src/governor/ports.js').Header }} */ (message);
  received = { stampUs: microseconds(header.stamp), enteredMs };
  receive.call(this, message, info);
  received = undefined;
};

Connection.prototype.infer = function (request) {
  const handedOverMs = performance.now();
  const answer = infer.call(this, request);
  // A call that starts outside of a callback is of a frame that had to wait; one without an id warms up.
  if (received === undefined || !request.id) return answer;
  const passage = { receivedUs: received.stampUs, enteredMs: received.enteredMs, handedOverMs, answeredMs: 0 };
  passages.set(request.id, passage);
  return answer.then((value) => {
    passage.answeredMs = performance.now();
    return value;
  });
};

RosPublisher.prototype.result = function (record) {
  result.call(this, record);
  const publishedMs = performance.now();
  const passage = passages.get(String(record.request));
  passages.delete(String(record.request));
  const stampUs = microseconds(record.header.stamp);
  if (passage?.receivedUs !== stampUs) return;
  const { enteredMs, handedOverMs, answeredMs } = passage;
  const { user, system } = process.cpuUsage();
  rows.push({
    stamp_us: stampUs,
    dispatch_ms: handedOverMs - enteredMs,
    call_ms: answeredMs - handedOverMs,
    publish_ms: publishedMs - answeredMs,
    cpu_ms: (user + system) / 1000,
  });
};

process.once('exit', () => writeFileSync(process.env['VIG_BENCH_STAMPS'] ?? '', JSON.stringify(rows)));
