/** Logical models, their variants, and the models of the server that these name. */
import type { BackendState } from './backend-state.js';
import type { ModelConfiguration } from './configuration.js';
import { RuntimeEstimate } from './estimates.js';
import { fingerprintOf } from './learned.js';
import type { MarginRule } from './margin.js';
import type { Identity } from './proof/identity.js';
import { QuantumCost } from './quanta/quantum-cost.js';
import type { Micros } from './units.js';
import type { UsableVariants } from './usable-variants.js';

/** A model as the server knows it: several variants may name the same. */
export interface ServedModel {
  readonly name: string;
  /** What its counter proves. */
  readonly identity: Identity;
  /** What the user says of `instances`; beats what the server says. */
  readonly configuredInstances: number | undefined;
  /** Executions of it at the same time. */
  instances: number;
  ready: boolean;
  /** Its inputs and outputs as its server describes them, where it does. */
  signature: string | undefined;
  /** Calls whose end is not proven, held ones included. */
  openCalls: number;
  /** Of these: their requester has its outcome. */
  heldCalls: number;
}

/** Held calls on every instance leave nothing to run on: nobody knows when one comes free. */
export function canRun(server: ServedModel): boolean {
  return server.ready && server.heldCalls < server.instances;
}

export interface Variant {
  readonly name: string;
  readonly model: ModelState;
  readonly server: ServedModel;
  readonly quality: number;
  /** Somebody answers for the quality. */
  readonly qualityKnown: boolean;
  readonly estimate: RuntimeEstimate;
  /** Of what its runtimes are measured. */
  readonly fingerprint: string;
}

export class ModelState {
  readonly name: string;
  readonly backend: BackendState;
  readonly stateful: boolean;
  readonly margin: MarginRule;
  /** Where it is cooperative. */
  readonly quanta: QuantumCost | undefined;
  /** In order of configuration. */
  readonly variants: readonly Variant[];
  /** Models that must not run at the same time. */
  readonly excludes: ModelState[] = [];
  /** What its streams may use of it. */
  readonly users: UsableVariants[] = [];
  openCalls = 0;

  constructor(
    { name, variants, stateful = false, cooperative }: ModelConfiguration,
    backend: BackendState,
    margin: MarginRule,
    serve: (backendModel: string) => ServedModel,
  ) {
    this.name = name;
    this.backend = backend;
    this.stateful = stateful;
    this.margin = margin;
    const quanta = cooperative === undefined ? undefined : new QuantumCost(cooperative, variants[0] ?? {}, margin);
    this.quanta = quanta;
    this.variants = variants.map((variant) => ({
      name: variant.name,
      model: this,
      server: serve(variant.backendModel),
      quality: variant.quality,
      qualityKnown: (variant.qualitySource ?? 'unknown') !== 'unknown',
      estimate: new RuntimeEstimate(quanta ?? variant, margin),
      fingerprint: fingerprintOf(variant),
    }));
  }

  /** To be called when readiness, a signature, an estimate or the held calls changed. */
  refresh(): void {
    for (const user of this.users) user.refresh();
  }

  /** Doubts what has not been observed for long. @returns whether an estimate changed. */
  doubtObservations(now: Micros): boolean {
    let changed = false;
    for (const variant of this.variants) if (variant.estimate.doubt(now)) changed = true;
    if (changed) this.refresh();
    return changed;
  }
}
