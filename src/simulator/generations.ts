/** How far the texts of one run are, and how much of its runtime each of their calls takes. */
import { costUs } from '../core/quanta/cooperative.js';
import type { Generating } from './scenario.js';

export class Generations {
  /** Tokens so far, by frame. */
  readonly #generated = new Map<number, number>();

  /**
   * A call for so many tokens begins.
   * @returns its share of what the whole text would take in one call; the shares of a text that is cut are more than one together.
   */
  begin(frame: number, tokens: number, { cooperative, promptTokens, tokens: all }: Generating): number {
    const generated = this.#generated.get(frame) ?? 0;
    this.#generated.set(frame, generated + tokens);
    return costUs(cooperative, tokens, promptTokens + generated) / costUs(cooperative, all, promptTokens);
  }
}
