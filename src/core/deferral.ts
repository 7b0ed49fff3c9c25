/** Why the head of a stream waits although a slot is free (rules.md 8). */
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';

export class Deferral {
  #request: Request | undefined;
  #blocker: StreamState | undefined;

  /** @returns whether that is news: a veto that stands is told once. */
  note(request: Request, blocker: StreamState): boolean {
    if (this.#request === request && this.#blocker === blocker) return false;
    this.#request = request;
    this.#blocker = blocker;
    return true;
  }

  /** The stream whose frame the request was last held back for. */
  blockerOf(request: Request): StreamState | undefined {
    return this.#request === request ? this.#blocker : undefined;
  }
}
