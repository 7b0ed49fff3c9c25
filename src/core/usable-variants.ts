/** Which variants of its model a stream may use at all, and which of these it can use now (rules.md 9). */
import type { Contract } from './configuration.js';
import { CoreError } from './core-error.js';
import { canRun, type ModelState, type Variant } from './model-state.js';
import { type Micros, NEVER } from './units.js';

export class UsableVariants {
  readonly #model: ModelState;
  /** In order of configuration. */
  #approved: readonly Variant[];
  readonly #ready: Variant[] = [];
  #fastest: Variant | undefined;
  #fastestUs = NEVER;

  /** @throws {CoreError} unknown_reference or contradiction, when the contract leaves nothing to run. */
  constructor(model: ModelState, contract: Contract, user: string) {
    this.#model = model;
    this.#approved = approvedBy(contract, model, user);
    model.users.push(this);
  }

  /** @throws {CoreError} as the constructor. */
  adopt(contract: Contract, user: string): void {
    this.#approved = approvedBy(contract, this.#model, user);
    this.refresh();
  }

  /** Those it could use if they were ready; the first one stands for all where nobody may choose between them. */
  get allowed(): readonly Variant[] {
    return this.#interchangeable ? this.#approved : this.#approved.slice(0, 1);
  }

  /** Best quality first; equal ones in order of configuration. */
  get ready(): readonly Variant[] {
    return this.#ready;
  }

  /** The ready variant with the lowest optimistic runtime alone; undefined when none is ready. */
  get fastest(): Variant | undefined {
    return this.#fastest;
  }

  /** A variant is ready at the server, but every instance of it is held. */
  get held(): boolean {
    return this.allowed.some((variant) => variant.server.ready && !canRun(variant.server));
  }

  /** Optimistic runtime of `fastest`, NEVER when none is ready. */
  get fastestUs(): Micros {
    return this.#fastestUs;
  }

  /** The lowest planned runtime beside `occupancy` other calls: what a guarded frame needs at least. NEVER when none is ready. */
  plannedUs(occupancy: number, now: Micros): Micros {
    let lowestUs = NEVER;
    for (const variant of this.#ready) {
      const runtimeUs = variant.estimate.plannedUs(occupancy, now);
      if (runtimeUs < lowestUs) lowestUs = runtimeUs;
    }
    return lowestUs;
  }

  /** To be called when readiness, a signature, an estimate or the held calls changed. */
  refresh(): void {
    this.#ready.length = 0;
    this.#fastest = undefined;
    this.#fastestUs = NEVER;
    for (const variant of this.allowed) {
      if (canRun(variant.server)) this.#insert(variant);
    }
    for (const variant of this.#ready) {
      const runtimeUs = variant.estimate.optimisticUs(0);
      if (runtimeUs >= this.#fastestUs) continue;
      this.#fastest = variant;
      this.#fastestUs = runtimeUs;
    }
  }

  #insert(variant: Variant): void {
    let at = this.#ready.length;
    for (; at > 0 && (this.#ready[at - 1] as Variant).quality < variant.quality; at -= 1) this.#ready[at] = this.#ready[at - 1] as Variant;
    this.#ready[at] = variant;
  }

  /** Whether one may stand in for another: only where that changes nothing but quality and time. */
  get #interchangeable(): boolean {
    if (this.#model.stateful) return false;
    let signature: string | undefined;
    for (const { qualityKnown, server } of this.#approved) {
      if (!qualityKnown || (signature !== undefined && server.signature !== undefined && server.signature !== signature)) return false;
      signature ??= server.signature;
    }
    return true;
  }
}

/** @throws {CoreError} unknown_reference or contradiction, when the contract leaves nothing to run. */
export function approvedBy({ approvedVariants, minQuality = 0 }: Contract, model: ModelState, user: string): Variant[] {
  for (const name of approvedVariants ?? []) {
    if (model.variants.some((variant) => variant.name === name)) continue;
    const known = model.variants.map((variant) => variant.name).join(', ');
    throw new CoreError('unknown_reference', `${user} approves variant "${name}" of model "${model.name}", which has: ${known}`);
  }
  const approved = model.variants.filter(({ name, quality }) => quality >= minQuality && (approvedVariants?.includes(name) ?? true));
  if (approved.length > 0) return approved;
  throw new CoreError(
    'contradiction',
    `${user} leaves no variant of model "${model.name}" approved with a quality of at least ${minQuality}`,
  );
}
