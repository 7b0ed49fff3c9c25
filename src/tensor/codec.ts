/** Between messages and tensors, for one stream and its model: what goes in is checked here, what comes out is decoded here. */
import type { ModelParameters, StreamParameters } from '../config/schema.js';
import type { ModelMetadata, TensorMetadata } from '../governor/model-metadata.js';
import type { Detection, Frame, Header, OutputTensor, TensorSource } from '../governor/ports.js';
import type { Converter, Payload } from './converter.js';
import { decoderOf } from './decoders.js';
import { FloatArrayConverter, ImuConverter } from './float-converters.js';
import { ImageConverter } from './image-converter.js';
import { InvalidMessage } from './invalid-message.js';
import { fits, formatTensor } from './shapes.js';
import { zeroInputs } from './warm-up.js';

/** A stream as far as its messages are concerned. */
export type CodecStream = Pick<StreamParameters, 'type' | 'max_message_bytes'> & { readonly name: string };
/** A model as far as its tensors are concerned. */
export type CodecModel = Pick<ModelParameters, 'input' | 'output'> & { readonly name: string };

export interface Codec {
  /** Checks a received message; nothing of its content is converted yet. @throws {InvalidMessage} and nothing else, whatever it is. */
  frame(header: Header, message: unknown): Frame;
  /**
   * Compares what the server says of a variant with what this stream sends. Metadata that agree are remembered for the frames that
   * follow: they must fit them, and take the input's name from them.
   * @returns the difference and what to change, one line for a person; undefined when they agree.
   */
  mismatch(variant: string, metadata: ModelMetadata): string | undefined;
  /** Zeros for every input of a variant whose metadata agree, in the size this stream will send as far as it is known. */
  warmUpInputs(variant: string, metadata: ModelMetadata): readonly TensorSource[];
}

export function createCodec(stream: CodecStream, model: CodecModel): Codec {
  return new MessageCodec(stream, model);
}

function converterOf(stream: CodecStream, model: CodecModel): Converter {
  switch (stream.type) {
    case 'sensor_msgs/msg/Image':
      return new ImageConverter(model.input, stream.max_message_bytes);
    case 'sensor_msgs/msg/Imu':
      return new ImuConverter(model.input.batch_dimension);
    case 'std_msgs/msg/Float32MultiArray':
      return new FloatArrayConverter(model.input.batch_dimension, stream.max_message_bytes);
  }
}

class MessageCodec implements Codec {
  readonly #stream: CodecStream;
  readonly #model: CodecModel;
  readonly #converter: Converter;
  /** Inputs of the variants whose metadata agree. */
  readonly #inputs = new Map<string, TensorMetadata>();

  constructor(stream: CodecStream, model: CodecModel) {
    this.#stream = stream;
    this.#model = model;
    this.#converter = converterOf(stream, model);
  }

  frame(header: Header, message: unknown): Frame {
    const payload = this.#converter.read(message);
    for (const input of this.#inputs.values()) {
      if (payload.shapeFor(input.shape) === undefined) throw new InvalidMessage('unsupported_type', this.#misfit(payload, input));
    }
    return {
      stream: this.#stream.name,
      header,
      inputs: (variant) => [this.#source(payload, variant)],
      decode: (_variant, outputs) => this.#decode(payload, outputs),
    };
  }

  mismatch(variant: string, metadata: ModelMetadata): string | undefined {
    this.#inputs.delete(variant);
    const input = this.#inputOf(metadata);
    if (typeof input === 'string') return input;
    const difference = this.#inputDifference(metadata, input) ?? this.#outputDifference(metadata);
    if (difference === undefined) this.#inputs.set(variant, input);
    return difference;
  }

  warmUpInputs(variant: string, metadata: ModelMetadata): readonly TensorSource[] {
    return zeroInputs(metadata, this.#inputs.get(variant)?.name, this.#converter.shape);
  }

  /** The input this stream feeds, or why there is none. */
  #inputOf(metadata: ModelMetadata): TensorMetadata | string {
    const { name } = this.#model.input;
    const names = metadata.inputs.map((input) => `'${input.name}'`).join(', ') || 'none';
    if (name === undefined) {
      const [only, ...more] = metadata.inputs;
      if (only !== undefined && more.length === 0) return only;
      return `model '${metadata.name}' has the inputs ${names}; stream '${this.#stream.name}' feeds one: set ${this.#key('input.name')}`;
    }
    const named = metadata.inputs.find((input) => input.name === name);
    return named ?? `model '${metadata.name}' has no input '${name}', its inputs are ${names}: correct ${this.#key('input.name')}`;
  }

  #inputDifference(metadata: ModelMetadata, input: TensorMetadata): string | undefined {
    const { datatype, shape } = this.#converter;
    if (input.datatype === datatype && (shape === undefined || fits(shape, input.shape))) return undefined;
    const change = this.#converter.remedy(input.datatype, input.shape);
    const advice = change === undefined ? 'no setting of this stream makes it fit' : `set ${this.#key('input')} to ${change}`;
    const sent = shape === undefined ? datatype : formatTensor(datatype, shape);
    const takes = `model '${metadata.name}' input '${input.name}' is ${formatTensor(input.datatype, input.shape)}`;
    return `${takes}; stream '${this.#stream.name}' sends ${sent}: ${advice}`;
  }

  #outputDifference(metadata: ModelMetadata): string | undefined {
    const decoder = decoderOf(this.#model.output);
    if (decoder !== undefined && this.#stream.type !== 'sensor_msgs/msg/Image') {
      const { type, name } = this.#stream;
      return `decoder '${this.#model.output.decoder}' needs images; stream '${name}' is ${type}: set ${this.#key('output.decoder')} to none`;
    }
    const wanted = decoder?.outputNames(this.#model.output) ?? this.#model.output.tensors;
    const known = metadata.outputs.map((output) => output.name);
    const missing = wanted.filter((name) => !known.includes(name));
    if (missing.length === 0) return undefined;
    const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');
    return `model '${metadata.name}' has no output ${list(missing)}, its outputs are ${list(known)}: correct ${this.#key('output.tensors')}`;
  }

  #source(payload: Payload, variant: string): TensorSource {
    const input = this.#inputs.get(variant);
    const name = input?.name ?? this.#model.input.name;
    const shape = payload.shapeFor(input?.shape);
    if (name === undefined || shape === undefined) {
      throw new Error(
        `variant '${variant}' of model '${this.#model.name}' does not take this frame: its metadata are unknown or have changed`,
      );
    }
    return {
      name,
      datatype: this.#converter.datatype,
      shape,
      byteLength: payload.byteLength,
      write: (target) => writeChecked(payload, target),
    };
  }

  #decode(payload: Payload, outputs: readonly OutputTensor[]): readonly Detection[] {
    const decoder = decoderOf(this.#model.output);
    if (decoder === undefined) return [];
    if (payload.geometry === undefined)
      throw new Error(`decoder '${this.#model.output.decoder}' needs images; this is an ${payload.description}`);
    return decoder.decode(outputs, payload.geometry, this.#model.output);
  }

  #misfit(payload: Payload, input: TensorMetadata): string {
    const shape = payload.shapeFor(undefined) ?? [];
    const sent = `The ${payload.description} makes ${formatTensor(this.#converter.datatype, shape)}`;
    const change = this.#converter.remedy(input.datatype, input.shape);
    const advice = change === undefined ? '' : `: set ${this.#key('input')} to ${change}`;
    return `${sent}, but input '${input.name}' of model '${this.#model.name}' takes ${formatTensor(input.datatype, input.shape)}${advice}.`;
  }

  #key(name: string): string {
    return `models.${this.#model.name}.${name}`;
  }
}

function writeChecked(payload: Payload, target: Uint8Array): void {
  if (target.byteLength !== payload.byteLength) {
    throw new RangeError(`the tensor takes ${payload.byteLength} bytes, the target has ${target.byteLength}`);
  }
  payload.write(target);
}
