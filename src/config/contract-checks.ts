/** Rules between a contract and the model that has to keep it. */
import type { Finding } from './cross-checks.js';
import { noSuch } from './no-such.js';
import type { ModelParameters, StreamParameters } from './schema.js';

/** At least one variant has to be approved and good enough, or nothing could ever run. */
export function* checkApproval(
  stream: readonly string[],
  { contract, model: modelName }: StreamParameters,
  { variants }: ModelParameters,
): Generator<Finding> {
  const path = [...stream, 'contract', 'extension', 'approved_variants'];
  const approved = contract.extension.approved_variants;
  if (approved?.length === 0) yield { path, text: 'approves nothing; expected the names of the variants that may be used' };
  const known = new Map(Object.entries(variants));
  const unknown = (approved ?? []).filter((name) => !known.has(name));
  for (const name of unknown) yield { path, text: noSuch('variant', name, known) };
  const usable = (approved ?? [...known.keys()]).filter((name) => known.has(name));
  const best = Math.max(...usable.map((name) => known.get(name)?.quality ?? 0));
  if (unknown.length > 0 || usable.length === 0 || best >= contract.min_quality) return;
  const which = approved === undefined ? '' : ' approved';
  yield { path: [...stream, 'contract', 'min_quality'], text: `no${which} variant of model ${modelName} reaches it; the best has ${best}` };
}

/** A stateful model must see every frame of its stream. */
export function* checkState(
  stream: readonly string[],
  { queue, model: name }: StreamParameters,
  { stateful }: ModelParameters,
): Generator<Finding> {
  if (!stateful || queue.policy !== 'latest') return;
  const path = [...stream, 'queue', 'policy'];
  yield { path, text: `skips frames, and model ${name} is stateful; expected fifo or never_drop` };
}
