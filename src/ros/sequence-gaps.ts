/** Frames that a publisher sent and this node never saw, told by gaps in the publisher's sequence. Pure. */

/** What rmw gives where the middleware has no publication sequence (RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED). */
const UNSUPPORTED = 2n ** 64n - 1n;

/** A number lower by no more than this is a late message; lower by more, the publisher has begun anew. */
const REORDER_WINDOW = 64n;

/** Publishers remembered for one stream; the one silent for longest is forgotten first. */
const MAX_PUBLISHERS = 64;

export class SequenceGaps {
  /** The highest number of each publisher, in order of their last message. */
  readonly #highest = new Map<string, bigint>();

  /**
   * @param publisher identity of the publisher, for instance its gid in hexadecimal
   * @returns the messages lost between this one and the highest before it; 0 for the first of a publisher, which may have sent before
   *   this node was there.
   */
  note(publisher: string, sequence: bigint): number {
    if (sequence === UNSUPPORTED) return 0;
    const highest = this.#highest.get(publisher);
    const late = highest !== undefined && sequence <= highest && highest - sequence <= REORDER_WINDOW;
    this.#highest.delete(publisher);
    this.#highest.set(publisher, late ? highest : sequence);
    this.#forgetSilent();
    return highest !== undefined && sequence > highest ? Number(sequence - highest - 1n) : 0;
  }

  #forgetSilent(): void {
    if (this.#highest.size <= MAX_PUBLISHERS) return;
    for (const silent of this.#highest.keys()) {
      this.#highest.delete(silent);
      return;
    }
  }
}
