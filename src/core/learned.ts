/** What was learned of runtimes, to be kept from one run to the next (rules.md 4). */
import type { VariantConfiguration } from './configuration.js';
import type { ModelState } from './model-state.js';
import type { Micros } from './units.js';

export interface LearnedVariant {
  readonly backend: string;
  readonly model: string;
  readonly variant: string;
  /** Of what the runtimes were measured; they hold for nothing else. */
  readonly fingerprint: string;
  readonly occupancies: readonly LearnedOccupancy[];
}

/** Runtimes beside so many other calls. */
export interface LearnedOccupancy {
  readonly occupancy: number;
  readonly marginPercent: number;
  /** Oldest first. */
  readonly runtimesUs: readonly number[];
}

/** The model at the server, its version and the profile that stands for it: with another one nothing learned holds. */
export function fingerprintOf({ backendModel, version = '', profile, preprocessUs = 0 as Micros }: VariantConfiguration): string {
  const times = profile === undefined ? 'no profile' : `${profile.p50Us}/${profile.p95Us}/${profile.p99Us}`;
  return `${backendModel}:${version} ${times} +${preprocessUs}`;
}

export function learnedOf(models: Iterable<ModelState>): LearnedVariant[] {
  return [...models].flatMap(({ name: model, backend, variants }) =>
    variants.flatMap(({ name: variant, fingerprint, estimate }) => {
      const occupancies = estimate.learned();
      return occupancies.length === 0 ? [] : [{ backend: backend.name, model, variant, fingerprint, occupancies }];
    }),
  );
}

/** Takes back what belongs to a variant that is still the same; the rest is let go. */
export function restore(learned: readonly LearnedVariant[], models: Iterable<ModelState>, now: Micros): void {
  for (const model of models) {
    for (const { name, fingerprint, estimate } of model.variants) {
      const own = learned.find((one) => one.backend === model.backend.name && one.model === model.name && one.variant === name);
      if (own?.fingerprint === fingerprint) estimate.restore(own.occupancies, now);
    }
    model.refresh();
  }
}
