import type { ServedModel } from './served-backend.js';
import type { Stream } from './stream.js';

interface Use {
  readonly stream: Stream;
  readonly variant: string;
  readonly version: string;
}

/** The models a backend has to serve: those whose variants some stream can run on. */
export function modelsServedBy(backend: string, streams: Iterable<Stream>): ServedModel[] {
  const uses = new Map<string, Use[]>();
  for (const stream of streams) {
    if (stream.model.backend !== backend) continue;
    for (const [variant, { backend_model: backendModel, version }] of Object.entries(stream.model.variants)) {
      uses.set(backendModel, [...(uses.get(backendModel) ?? []), { stream, variant, version }]);
    }
  }
  return [...uses].map(([backendModel, of]) => servedModel(backendModel, of));
}

function servedModel(backendModel: string, uses: readonly Use[]): ServedModel {
  const [first] = uses;
  if (first === undefined) throw new RangeError(`nothing uses the model '${backendModel}'`);
  return {
    backendModel,
    version: first.version,
    mismatches: (metadata) =>
      uses.map(({ stream, variant }) => stream.codec.mismatch(variant, metadata)).filter((mismatch) => mismatch !== undefined),
    warmUpInputs: (metadata) => first.stream.codec.warmUpInputs(first.variant, metadata),
  };
}
