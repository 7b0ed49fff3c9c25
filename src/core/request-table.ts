/** What belongs to open requests, by their numbers. */

const BUCKETS = 256;

/**
 * A Map that has an entry for a moment for each of millions of messages re-hashes again and again, and each time leaves a table behind whose
 * reference to the next one keeps alive, until the next full collection, whatever that held (adr/0020).
 */
export class RequestTable<V extends object> {
  readonly #ids: readonly number[][] = Array.from({ length: BUCKETS }, () => []);
  readonly #values: readonly V[][] = Array.from({ length: BUCKETS }, () => []);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    return this.#idsOf(id).includes(id);
  }

  get(id: number): V | undefined {
    return this.#valuesOf(id)[this.#idsOf(id).indexOf(id)];
  }

  set(id: number, value: V): void {
    const ids = this.#idsOf(id);
    const place = ids.indexOf(id);
    this.#valuesOf(id)[place === -1 ? ids.length : place] = value;
    if (place !== -1) return;
    ids.push(id);
    this.#size += 1;
  }

  delete(id: number): void {
    const ids = this.#idsOf(id);
    const values = this.#valuesOf(id);
    const place = ids.indexOf(id);
    const lastId = ids.at(-1);
    const lastValue = values.at(-1);
    if (place === -1 || lastId === undefined || lastValue === undefined) return;
    ids[place] = lastId;
    values[place] = lastValue;
    ids.pop();
    values.pop();
    this.#size -= 1;
  }

  clear(): void {
    for (const ids of this.#ids) ids.length = 0;
    for (const values of this.#values) values.length = 0;
    this.#size = 0;
  }

  /** In no order. */
  *values(): Generator<V, void, undefined> {
    for (const values of this.#values) yield* values;
  }

  #idsOf(id: number): number[] {
    return this.#ids[id % BUCKETS] as number[];
  }

  #valuesOf(id: number): V[] {
    return this.#values[id % BUCKETS] as V[];
  }
}
