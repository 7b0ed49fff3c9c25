/** The waiting requests of one stream, in order of arrival. Bounded by its owner. */
import type { Request } from './requests.js';
import { earlier, type Micros, NEVER } from './units.js';

export class WaitingQueue {
  readonly #requests: Request[] = [];
  /** The oldest capture that waits; the first to turn stale, since all share one contract. */
  #oldestCapture = NEVER;

  get length(): number {
    return this.#requests.length;
  }

  get head(): Request | undefined {
    return this.#requests[0];
  }

  at(index: number): Request | undefined {
    return this.#requests[index];
  }

  get oldestCapture(): Micros {
    return this.#oldestCapture;
  }

  push(request: Request): void {
    this.#requests.push(request);
    this.#oldestCapture = earlier(this.#oldestCapture, request.capture);
  }

  shift(): Request | undefined {
    const request = this.#requests.shift();
    if (request !== undefined) this.#forget(request.capture);
    return request;
  }

  /** Takes out the first request whose capture lies before `limit`. */
  shiftOlderThan(limit: Micros): Request | undefined {
    if (this.#oldestCapture >= limit) return undefined;
    for (const request of this.#requests) {
      if (request.capture < limit) {
        this.remove(request);
        return request;
      }
    }
    return undefined;
  }

  remove(request: Request): void {
    this.#requests.splice(this.#requests.indexOf(request), 1);
    this.#forget(request.capture);
  }

  #forget(capture: Micros): void {
    if (capture > this.#oldestCapture) return;
    this.#oldestCapture = NEVER;
    for (const request of this.#requests) this.#oldestCapture = earlier(this.#oldestCapture, request.capture);
  }
}
