import type { InputParameters, ModelParameters, StreamParameters } from '../../src/config/schema.js';
import { parametersSchema } from '../../src/config/schema.js';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { Datatype, Frame, Header } from '../../src/governor/ports.js';
import { type Codec, createCodec } from '../../src/tensor/codec.js';
import { InvalidMessage } from '../../src/tensor/invalid-message.js';

export const HEADER: Header = { stamp: { sec: 12, nanosec: 34 }, frameId: 'camera' };

interface Settings {
  readonly type?: StreamParameters['type'];
  readonly maxMessageBytes?: number;
  readonly input?: Partial<InputParameters>;
  readonly output?: Partial<ModelParameters['output']>;
}

/** Stream "front", model "faces", defaults from the schema. */
function parametersOf({ type, maxMessageBytes, input, output }: Settings): { stream: StreamParameters; model: ModelParameters } {
  const { streams, models } = parametersSchema.parse({
    backends: { gpu: { slots: 1 } },
    models: { faces: { backend: 'gpu', variants: { only: { backend_model: 'centerface' } }, input, output } },
    streams: { front: { topic: '/front', type, model: 'faces', contract: { max_age_ms: 100 }, max_message_bytes: maxMessageBytes } },
  });
  const [stream, model] = [streams['front'], models['faces']];
  if (stream === undefined || model === undefined) throw new Error('the schema lost a group');
  return { stream, model };
}

export function codecOf(settings: Settings): Codec {
  const { stream, model } = parametersOf(settings);
  return createCodec({ ...stream, name: 'front' }, { ...model, name: 'faces' });
}

interface Tensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
}

export function metadataOf(inputs: readonly Tensor[], outputs: readonly Tensor[] = []): ModelMetadata {
  return { name: 'centerface', versions: ['1'], inputs, outputs, maxBatchSize: 0, decoupled: false };
}

/** The tensor a message becomes when the model takes whatever comes. */
export function tensorOf(codec: Codec, message: unknown): { shape: readonly number[]; datatype: Datatype; bytes: Uint8Array } {
  const frame = codec.frame(HEADER, message);
  const source = sourceOf(frame);
  const bytes = new Uint8Array(source.byteLength).fill(0xa5);
  source.write(bytes);
  return { shape: source.shape, datatype: source.datatype, bytes };
}

export function sourceOf(frame: Frame) {
  const [source] = frame.inputs('only');
  if (source === undefined) throw new Error('the frame has no input');
  return source;
}

export function floatsIn(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** How a message is refused; fails when it is not. */
export function refusalOf(codec: Codec, message: unknown): string {
  try {
    codec.frame(HEADER, message);
  } catch (error) {
    if (error instanceof InvalidMessage) return `${error.cause}: ${error.message}`;
    throw error;
  }
  throw new Error('the message was accepted');
}

export function imageOf(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { width: 4, height: 2, encoding: 'rgb8', is_bigendian: 0, step: 12, data: new Uint8Array(24), ...fields };
}
