/** Where the demo shows what happens. */
import { createLogUpdate } from 'log-update';
import type { ArmStatistics } from './arm-statistics.js';
import { STREAMS } from './demo-parameters.js';
import type { Paint } from './paint.js';
import { armTable } from './table.js';

export interface Moment {
  readonly governor: boolean;
  readonly seconds: number;
  readonly pastSeconds: number;
  readonly statistics: ArmStatistics;
}

export interface Screen {
  readonly paint: Paint;
  /** A text that stays. */
  say(text: string): void;
  /** What changes all the time. */
  draw(moment: Moment): void;
}

/** A terminal: the table is drawn anew in its place. */
export class LiveScreen implements Screen {
  readonly paint: Paint;
  readonly #update: ReturnType<typeof createLogUpdate>;

  constructor(stream: NodeJS.WriteStream, paint: Paint) {
    this.paint = paint;
    this.#update = createLogUpdate(stream);
  }

  say(text: string): void {
    this.#update.clear();
    this.#update.persist(text);
  }

  draw(moment: Moment): void {
    const table = armTable(liveColumns(moment.statistics), this.paint);
    const running = moment.statistics.status?.inFlight ?? 0;
    this.#update(`\n${progressLine(moment, this.paint)}\n\n${table}\n\nat the server now: ${running}`);
  }

  /** The place is free for others' lines again, and the cursor is back. */
  done(): void {
    this.#update.clear();
    this.#update.done();
  }
}

const LINE_INTERVAL_S = 5;

/** A file or a pipe: a line now and then. */
export class LineScreen implements Screen {
  readonly paint: Paint;
  readonly #stream: NodeJS.WritableStream;
  #saidSeconds = 0;

  constructor(stream: NodeJS.WritableStream, paint: Paint) {
    this.#stream = stream;
    this.paint = paint;
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`);
  }

  draw({ pastSeconds, seconds, statistics }: Moment): void {
    if (pastSeconds < this.#saidSeconds) this.#saidSeconds = 0;
    if (pastSeconds < this.#saidSeconds + LINE_INTERVAL_S) return;
    this.#saidSeconds = pastSeconds;
    const parts = [...liveColumns(statistics)].map(
      ([{ name }, { received, causes, ageMs }]) =>
        `${name} ${received} received, ${causes['delivered'] ?? 0} in time, age p95 ${ageMs.p95 ?? '–'} ms`,
    );
    this.say(`  ${pastSeconds.toFixed(0)} of ${seconds} s: ${parts.join('; ')}`);
  }
}

function liveColumns(statistics: ArmStatistics): Parameters<typeof armTable>[0] {
  return new Map(STREAMS.map((stream) => [stream, statistics.now(stream.name)]));
}

const BAR_WIDTH = 30;

function progressLine({ governor, seconds, pastSeconds }: Moment, paint: Paint): string {
  const filled = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * pastSeconds) / seconds));
  const bar = '━'.repeat(filled) + paint.dim('─'.repeat(BAR_WIDTH - filled));
  return `${paint.bold(governor ? 'With the governor' : 'Without it')}  ${bar}  ${Math.floor(pastSeconds)} of ${seconds} s`;
}
