import type { ModelParameters, Parameters, StreamParameters } from '../config/schema.js';
import type { StampPolicy } from '../governor/capture-time.js';
import { type Codec, createCodec } from '../tensor/codec.js';

/** One configured stream: when its messages were captured, and how they become tensors. */
export interface Stream {
  readonly name: string;
  readonly topic: string;
  readonly modelName: string;
  readonly model: ModelParameters;
  readonly codec: Codec;
  readonly stamps: StampPolicy;
}

export function createStreams(parameters: Parameters): ReadonlyMap<string, Stream> {
  const streams = Object.entries(parameters.streams).map(([name, stream]) => createStream(name, stream, parameters));
  return new Map(streams.map((stream) => [stream.name, stream]));
}

function createStream(name: string, stream: StreamParameters, parameters: Parameters): Stream {
  const model = parameters.models[stream.model];
  if (model === undefined) throw new RangeError(`stream '${name}' names the model '${stream.model}', which is not configured`);
  return {
    name,
    topic: stream.topic,
    modelName: stream.model,
    model,
    codec: createCodec({ ...stream, name }, { ...model, name: stream.model }),
    stamps: stampPolicyOf(stream),
  };
}

export function stampPolicyOf(stream: StreamParameters): StampPolicy {
  return {
    source: stream.stamp_source,
    offsetUs: stream.stamp_offset_ms * 1000,
    futureToleranceUs: stream.future_tolerance_ms * 1000,
  };
}
