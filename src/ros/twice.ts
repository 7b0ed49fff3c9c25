/** Something that may happen again: its first and its second time can be waited for. */
export class Twice {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
  readonly #resolve: (() => void)[] = [];
  #times = 0;

  constructor() {
    this.first = this.#occasion();
    this.second = this.#occasion();
  }

  /** How often it has happened. */
  get times(): number {
    return this.#times;
  }

  happened(): void {
    this.#resolve[this.#times]?.();
    this.#times += 1;
  }

  #occasion(): Promise<void> {
    return new Promise((resolve) => this.#resolve.push(resolve));
  }
}
