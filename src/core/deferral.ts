/** Why the head of a stream waits although a slot is free (rules.md 8). */
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';

export class Deferral {
  #request: Request | undefined;
  #blocker: StreamState | undefined;

  /**
   * @param blocker the stream whose frame it would endanger; undefined for a wait on purpose.
   * @returns whether that is news: what stands is told once.
   */
  note(request: Request, blocker?: StreamState): boolean {
    if (this.#request === request && this.#blocker === blocker) return false;
    this.#request = request;
    this.#blocker = blocker;
    return true;
  }

  /** The stream whose frame the next start was last held back for. */
  get blocker(): StreamState | undefined {
    return this.#blocker;
  }

  /** The stream got its turn. */
  end(): void {
    this.#request = undefined;
    this.#blocker = undefined;
  }
}
