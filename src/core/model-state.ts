/** Logical models, their variants, and the models of the server that these name. */
import type { BackendState } from './backend-state.js';
import type { VariantConfiguration } from './configuration.js';
import { RuntimeEstimate } from './estimates.js';
import { type Micros, NEVER } from './units.js';

/** A model as the server knows it: several variants may name the same. */
export interface ServedModel {
  readonly name: string;
  /** What the user says of `instances`; beats what the server says. */
  readonly configuredInstances: number | undefined;
  /** Executions of it at the same time. */
  instances: number;
  ready: boolean;
  /** Calls whose end is not proven, held ones included. */
  openCalls: number;
}

export interface Variant {
  readonly name: string;
  readonly model: ModelState;
  readonly server: ServedModel;
  readonly quality: number;
  readonly estimate: RuntimeEstimate;
}

export class ModelState {
  readonly name: string;
  readonly backend: BackendState;
  /** Best quality first; equal ones in order of configuration. */
  readonly variants: readonly Variant[];
  /** Models that must not run at the same time. */
  readonly excludes: ModelState[] = [];
  openCalls = 0;
  #fastest: Variant | undefined;
  #fastestUs = NEVER;

  constructor(
    name: string,
    backend: BackendState,
    variants: readonly VariantConfiguration[],
    serve: (backendModel: string) => ServedModel,
  ) {
    this.name = name;
    this.backend = backend;
    this.variants = variants
      .map((variant) => ({
        name: variant.name,
        model: this,
        server: serve(variant.backendModel),
        quality: variant.quality,
        estimate: new RuntimeEstimate(variant.profile?.p50Us ?? 0),
      }))
      .sort((a, b) => b.quality - a.quality);
  }

  /** The ready variant with the lowest optimistic runtime alone; undefined when none is ready. */
  get fastest(): Variant | undefined {
    return this.#fastest;
  }

  /** Optimistic runtime of `fastest`, NEVER when none is ready. */
  get fastestUs(): Micros {
    return this.#fastestUs;
  }

  /** To be called when readiness or an estimate changed. */
  refreshFastest(): void {
    this.#fastest = undefined;
    this.#fastestUs = NEVER;
    for (const variant of this.variants) {
      const runtimeUs = variant.estimate.optimisticUs(0);
      if (!variant.server.ready || runtimeUs >= this.#fastestUs) continue;
      this.#fastest = variant;
      this.#fastestUs = runtimeUs;
    }
  }

  /** Doubts what has not been observed for long. @returns whether an estimate changed. */
  doubtObservations(now: Micros): boolean {
    let changed = false;
    for (const variant of this.variants) if (variant.estimate.doubt(now)) changed = true;
    if (changed) this.refreshFastest();
    return changed;
  }
}
