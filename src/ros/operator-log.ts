/**
 * One log for the process. While the node lives, what an operator should see goes through ROS: console, log file and /rosout, in the
 * form every ROS user knows. Before and after, and below info, lines go to standard error.
 */
import { type Logger, pino } from 'pino';
import { z } from 'zod';
import type { LOG_LEVELS } from '../config/ros-arguments.js';
import type { RclLogger } from './binding.js';
import { LogLimiter } from './log-limiter.js';

export type LogLevel = (typeof LOG_LEVELS)[number];

const INFO = pino.levels.values['info'] ?? 30;
const WARN = pino.levels.values['warn'] ?? 40;
const ERROR = pino.levels.values['error'] ?? 50;

const lineSchema = z.looseObject({
  level: z.number(),
  asked: z.boolean().default(false),
  msg: z.string().default(''),
  err: z.exactOptional(z.looseObject({ message: z.string() })),
});
type Line = z.output<typeof lineSchema>;

export class OperatorLog {
  readonly logger: Logger;
  readonly #limiter = new LogLimiter(() => performance.now());
  #ros: RclLogger | undefined;

  constructor(level: LogLevel) {
    this.logger = pino({ level, base: null }, { write: (line) => this.#write(line) });
  }

  /** Lines go through the node's logger until `detach`. */
  attach(ros: RclLogger): void {
    this.#ros = ros;
  }

  /** Call it before the node is destroyed. */
  detach(): void {
    this.#ros = undefined;
  }

  #write(json: string): void {
    const line = lineSchema.parse(JSON.parse(json));
    if (this.#ros === undefined || line.level < INFO) {
      process.stderr.write(json);
      return;
    }
    const repeated = line.asked ? 0 : this.#limiter.pass(keyOf(line));
    if (repeated === undefined) return;
    const text = textOf(line) + (repeated > 0 ? ` (${repeated} more like this since)` : '');
    if (line.level >= ERROR) this.#ros.error(text);
    else if (line.level >= WARN) this.#ros.warn(text);
    else this.#ros.info(text);
  }
}

/** For lines on what an operator did, and what came of it: each is said, however often. */
export function asked(log: Logger): Logger {
  return log.child({ asked: true });
}

/** Lines of one cause and one stream or backend are one line repeated. */
function keyOf(line: Line): string {
  return ['level', 'msg', 'stream', 'cause', 'backend', 'model', 'reason'].map((name) => String(line[name] ?? '')).join('\n');
}

const NOT_SHOWN = new Set(['level', 'time', 'msg', 'err', 'asked']);

/** `msg: error (stream=front, cause=inactive)`. */
function textOf(line: Line): string {
  const facts = Object.entries(line).filter(([name]) => !NOT_SHOWN.has(name));
  const shown = facts.map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return `${line.msg}${line.err === undefined ? '' : `: ${line.err.message}`}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`;
}
