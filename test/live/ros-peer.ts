/** A ROS 2 participant in Python, which is not our code; see peer.py. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('peer.py', import.meta.url));
const ANSWER_TIMEOUT_MS = 20_000;
const END_TIMEOUT_MS = 5000;
/** The peer waits for up to 10 s for the service to be there. */
const FIRST_ANSWER_TIMEOUT_MS = 15_000;

/** A message as JSON: uint8[] beyond 64 bytes as `{length, start}`. */
export type PlainMessage = Readonly<Record<string, unknown>>;

export interface Outcome {
  readonly header: { readonly stamp: { readonly sec: number; readonly nanosec: number }; readonly frame_id: string };
  readonly stream: string;
  readonly request_id: number;
  readonly state_text: string;
  readonly cause_text: string;
  readonly age_us: number;
  /** -1 when never dispatched. */
  readonly service_us: number;
  readonly superseded_by: number;
  readonly detail: string;
}

/** A message, and when the middleware of its publisher sent it: microseconds since the epoch. */
export interface Arrival {
  readonly message: PlainMessage;
  readonly sentUs: number;
}

export interface Send {
  readonly topic: string;
  readonly count: number;
  readonly periodMs: number;
  /** `{bytes: N, value: V}` stands for N bytes of V, or 0; `{file: F}` for those of a file. */
  readonly fields?: object;
  readonly stamp?: 'now' | 'zero' | { readonly offset_ms: number } | { readonly ms: number };
}

/** What a player publishes: /clock, and what was recorded on one topic. */
export interface Play {
  /** In ROS time. */
  readonly startMs: number;
  /** By the machine. */
  readonly forMs: number;
  readonly rate?: number;
  readonly topic?: string;
  /** Of what was recorded. */
  readonly periodMs?: number;
  readonly fields?: object;
}

const CLOCK_PERIOD_MS = 25;

export type Reliability = 'reliable' | 'best_effort';

export class RosPeer {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #received = new Map<string, Arrival[]>();
  readonly #waiting = new Map<number, (answer: PlainMessage) => void>();
  #lastId = 0;

  constructor() {
    this.#child = spawn('python3', [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    if (this.#child.stdout === null) throw new Error('the peer has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(JSON.parse(line)));
  }

  async advertise(topic: string, type: string, reliability: Reliability = 'reliable'): Promise<void> {
    await this.#ask({ do: 'advertise', topic, type, reliability });
  }

  async subscribe(topic: string, type: string): Promise<void> {
    await this.#ask({ do: 'subscribe', topic, type, depth: 1000 });
  }

  /** @returns once everything is published: the stamps, in order. */
  async send({ topic, count, periodMs, fields = {}, stamp = 'now' }: Send): Promise<readonly (readonly [number, number])[]> {
    const answer = await this.#ask({ do: 'send', topic, count, period_ms: periodMs, fields, stamp });
    return answer['stamps'] as readonly [number, number][];
  }

  /** @returns once it has been played: the stamps, in order. */
  async play({ startMs, forMs, rate = 1, topic, periodMs = 100, fields = {} }: Play): Promise<readonly (readonly [number, number])[]> {
    const recorded = topic === undefined ? {} : { topic, period_ms: periodMs, fields };
    const clock = { start_ms: startMs, for_ms: forMs, rate, clock_period_ms: CLOCK_PERIOD_MS };
    return (await this.#ask({ do: 'play', ...clock, ...recorded }))['stamps'] as readonly [number, number][];
  }

  async call(service: string, type: string, request: object = {}, timeoutMs = ANSWER_TIMEOUT_MS): Promise<PlainMessage> {
    const answer = await this.#ask({ do: 'call', service, type, request }, timeoutMs);
    if (answer['error'] !== undefined) throw new Error(String(answer['error']));
    return answer['response'] as PlainMessage;
  }

  /** For what changes nothing. Asks again when no answer comes: a service that has just begun may not know yet whom to answer. */
  async callAgain(service: string, type: string, request: object = {}): Promise<PlainMessage> {
    try {
      return await this.call(service, type, request, FIRST_ANSWER_TIMEOUT_MS);
    } catch {
      return this.call(service, type, request);
    }
  }

  /** Resolves when somebody subscribes to what was advertised. */
  async subscribed(topic: string): Promise<void> {
    await eventually(`a subscription to ${topic}`, async () => Number((await this.#ask({ do: 'matched', topic }))['subscribers']) > 0);
  }

  /** Resolves when somebody publishes what was subscribed to. */
  async published(topic: string): Promise<void> {
    await eventually(`a publisher of ${topic}`, async () => Number((await this.#ask({ do: 'matched', topic }))['publishers']) > 0);
  }

  arrivals(topic: string): readonly Arrival[] {
    return this.#received.get(topic) ?? [];
  }

  messages(topic: string): readonly PlainMessage[] {
    return this.arrivals(topic).map(({ message }) => message);
  }

  outcomes(stream: string, topic = '/governor/outcomes'): readonly Outcome[] {
    return this.messages(topic).filter((message) => message['stream'] === stream) as unknown as readonly Outcome[];
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    const timeout = new AbortController();
    await Promise.race([this.#exited, sleep(END_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #ask(command: object, timeoutMs = ANSWER_TIMEOUT_MS): Promise<PlainMessage> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`the peer did not answer ${JSON.stringify(command)}`));
      }, timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }

  #hear(said: PlainMessage): void {
    if (typeof said['id'] === 'number') {
      this.#waiting.get(said['id'])?.(said);
      this.#waiting.delete(said['id']);
      return;
    }
    const topic = String(said['topic']);
    const arrivals = this.#received.get(topic) ?? [];
    arrivals.push({ message: said['message'] as PlainMessage, sentUs: Number(said['sent_us']) });
    this.#received.set(topic, arrivals);
  }
}

const LONGEST_WAIT_MS = 30_000;

/** @throws {Error} naming what did not come true. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LONGEST_WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`did not come true: ${what}`);
    await sleep(25);
  }
}
