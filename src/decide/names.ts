/** What a script may name, with the nearest right name for a wrong one. */
import { nearestName } from '../config/nearest.js';
import type { DeclaredNames, DeclaredVariant } from './script-configuration.js';

export class Names {
  readonly #declared: DeclaredNames;
  /** Request ids of the script, with their streams. */
  readonly ids = new Map<string, string>();

  constructor(declared: DeclaredNames) {
    this.#declared = declared;
  }

  /** What is wrong with the name of a stream, if anything. */
  unknownStream(name: string): string | undefined {
    return unknown('stream', name, this.#declared.streams.keys());
  }

  /** The model that a stream runs on. */
  modelOf(stream: string): string | undefined {
    return this.#declared.streams.get(stream);
  }

  unknownId(id: string): string | undefined {
    return unknown('request', id, this.ids.keys());
  }

  /** Of the model that a request runs on. */
  unknownVariant(name: string, id: string): string | undefined {
    const model = this.#declared.streams.get(this.ids.get(id) ?? '');
    const own = this.#declared.variants.filter((one) => one.model === model).map(({ variant }) => variant);
    return own.length === 0 ? undefined : unknown('variant', name, own);
  }

  /** Whether the work of the stream's model can be cut. */
  isCooperative(stream: string): boolean {
    return this.#declared.cooperative.has(this.#declared.streams.get(stream) ?? '');
  }

  unknownBackend(name: string): string | undefined {
    return unknown('backend', name, this.#declared.backends);
  }

  /** The one backend there is; undefined when a script has several, and has to say which. */
  get onlyBackend(): string | undefined {
    const [only, other] = this.#declared.backends;
    return other === undefined ? only : undefined;
  }

  get backends(): readonly string[] {
    return this.#declared.backends;
  }

  variants({
    backend,
    model,
    variant,
  }: {
    backend?: string | undefined;
    model?: string | undefined;
    variant?: string | undefined;
  }): DeclaredVariant[] {
    const matches = (asked: string | undefined, actual: string) => asked === undefined || asked === actual;
    return this.#declared.variants.filter(
      (one) => matches(backend, one.backend) && matches(model, one.model) && matches(variant, one.variant),
    );
  }
}

function unknown(what: string, name: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  if (all.includes(name)) return undefined;
  const nearest = nearestName(name, all);
  if (nearest !== undefined) return `there is no ${what} of this name; did you mean ${nearest}?`;
  const some = all.slice(0, 20).join(', ');
  return `there is no ${what} of this name; ${all.length === 0 ? `the script has no ${what}s` : `expected one of ${some}${all.length > 20 ? ', …' : ''}`}`;
}
