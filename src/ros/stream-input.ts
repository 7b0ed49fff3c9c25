/** One subscription: what happens to a message between the middleware and the service. */
import type { Logger } from 'pino';
import type { StreamParameters } from '../config/schema.js';
import { type SubscriptionQos, subscriptionQos } from '../config/subscription-qos.js';
import type { Header } from '../governor/ports.js';
import type { GovernorService } from '../service/governor-service.js';
import type { RclMessageInfo } from './binding.js';
import type { WatchedInput } from './input-watch.js';
import { headerOf } from './message-header.js';
import { SequenceGaps } from './sequence-gaps.js';

/** Which message of which publisher it is. */
type Publication = Pick<RclMessageInfo, 'publicationSequenceNumber' | 'publisherGid'>;

/** What an input tells the service. */
export type InputService = Pick<GovernorService, 'receive' | 'refuse' | 'countLost'>;

export interface InputSurroundings {
  readonly service: InputService;
  /** ROS time; undefined before the first /clock. */
  readonly rosNowNs: () => bigint | undefined;
  readonly isActive: () => boolean;
  readonly log: Logger;
}

/** Silence that is worth a look at the publishers, whatever the period. */
const SHORTEST_SILENCE_MS = 2000;
const SILENT_PERIODS = 3;

/** A stream that says nothing for longer is silent. */
export function longestSilenceMs({ contract }: Pick<StreamParameters, 'contract'>): number {
  return Math.max(SHORTEST_SILENCE_MS, SILENT_PERIODS * (contract.period_ms ?? 0));
}

export class StreamInput implements WatchedInput {
  readonly stream: string;
  readonly type: string;
  readonly qos: SubscriptionQos;
  /** As subscribed to: resolved and remapped. */
  topic: string;
  readonly #surroundings: InputSurroundings;
  #silenceMs: number;
  readonly #gaps = new SequenceGaps();
  #lastMessageMs = performance.now();
  #warned = false;

  constructor(stream: string, parameters: StreamParameters, surroundings: InputSurroundings) {
    this.stream = stream;
    this.type = parameters.type;
    this.topic = parameters.topic;
    this.qos = subscriptionQos(parameters);
    this.#surroundings = surroundings;
    this.#silenceMs = longestSilenceMs(parameters);
  }

  /** Another contract is in force. */
  adopt(parameters: StreamParameters): void {
    this.#silenceMs = longestSilenceMs(parameters);
  }

  /** Never throws: an exception in a callback of the binding ends the process. */
  receive(message: unknown, info?: Publication): void {
    try {
      this.#lastMessageMs = performance.now();
      if (info !== undefined) this.#countLost(info);
      this.#pass(message);
    } catch (err) {
      this.#surroundings.log.error({ err, stream: this.stream }, 'a message could not be handled');
    }
  }

  silent(sinceMs = 0): boolean {
    return performance.now() - Math.max(this.#lastMessageMs, sinceMs) > this.#silenceMs;
  }

  #countLost(info: Publication): void {
    const lost = this.#gaps.note(Buffer.from(info.publisherGid).toString('hex'), info.publicationSequenceNumber);
    if (lost > 0) this.#surroundings.service.countLost(this.stream, lost);
  }

  #pass(message: unknown): void {
    const { service, rosNowNs, isActive } = this.#surroundings;
    const now = rosNowNs();
    const header = headerOf(message, now ?? 0n);
    if (!isActive()) this.#refuse(header, 'inactive');
    else if (now === undefined) this.#refuse(header, 'no_clock');
    else {
      this.#warned = false;
      service.receive(this.stream, { header, rosNowNs: now, message });
    }
  }

  #refuse(header: Header, cause: 'inactive' | 'no_clock'): void {
    const { service, log } = this.#surroundings;
    // That there is no clock is said once for all streams.
    if (!this.#warned && cause === 'inactive')
      log.warn({ stream: this.stream, cause }, `${REFUSALS[cause]}; each message ends as cancelled/${cause} until then`);
    this.#warned = true;
    service.refuse(this.stream, header, cause, REFUSALS[cause]);
  }
}

const REFUSALS = { inactive: 'the node is not active', no_clock: 'waiting for /clock (use_sim_time is on)' } as const;
