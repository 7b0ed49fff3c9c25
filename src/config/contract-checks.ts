/** Rules between a contract and the model that has to keep it. */
import { contractFaults } from '../core/contract-rules.js';
import { toStream } from './core-configuration.js';
import type { Declared, Finding } from './cross-checks.js';
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

/** What the contract may not say in itself. */
export function* checkContract(path: readonly string[], name: string, stream: StreamParameters): Generator<Finding> {
  for (const { key, text } of contractFaults(toStream(name, stream))) yield { path: [...path, 'contract', ...key], text };
}

/** A sequence is one stream in one stateful model: two would mix in its memory. */
export function* checkSequence(
  path: readonly string[],
  name: string,
  stream: StreamParameters,
  { models, streams }: Declared,
): Generator<Finding> {
  if (stream.contract.extension.delivery_semantics !== 'stateful_sequence') return;
  const at = [...path, 'contract', 'extension', 'delivery_semantics'];
  if (models.get(stream.model)?.stateful === false) {
    yield { path: at, text: `stateful_sequence needs a stateful model; set models.${stream.model}.stateful, or expect every_event` };
  }
  for (const [other, { model } = { model: '' }] of streams) {
    if (other !== name && model === stream.model)
      yield { path: at, text: `stateful_sequence needs a model of its own; stream ${other} uses ${model} too` };
  }
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
