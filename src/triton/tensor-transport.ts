/** How inputs get to the server: written once, straight into a region it has mapped, or into the message. */
import type { Logger } from 'pino';
import type { TensorSource } from '../governor/ports.js';
import type { Connection } from './connection.js';
import type { _inference_ModelInferRequest_InferInputTensor, ModelInferRequest } from './generated/inference/ModelInferRequest.js';
import { type Lease, RegionPool } from './region-pool.js';
import type { SharedMemory } from './shared-memory.js';
import { TritonError, textOf } from './triton-error.js';

export type Transport = 'auto' | 'shared_memory' | 'inline';

/** Inputs of one call, ready to be sent. */
export interface PackedInputs {
  readonly request: Pick<ModelInferRequest, 'inputs' | 'raw_input_contents'>;
  /** The region that carries them, if one does. */
  readonly region?: string;
  /** To be called once, when the call has ended. @param proven whether the end is: rules.md 11 */
  end(proven: boolean): void;
}

/** Offsets in a region: fits every datatype and a cache line. */
const ALIGNMENT_BYTES = 64;

export interface TensorTransportOptions {
  /** shared_memory: warm-up fails where the server cannot map a region. auto: the message is used then. */
  readonly transport: Transport;
  /** Absent: every input goes into the message. */
  readonly memory?: SharedMemory;
  /** Calls at the same time. */
  readonly credits: number;
  /** Regions at most. */
  readonly maxRegions: number;
  readonly log: Logger;
}

export class TensorTransport {
  readonly #options: TensorTransportOptions;
  readonly #pool: RegionPool | undefined;
  readonly #growing = new Set<string>();
  #connection: Connection | undefined;
  #staging = new Uint8Array(0);
  #said = '';

  constructor(options: TensorTransportOptions) {
    this.#options = options;
    const { memory } = options;
    if (memory === undefined) return;
    this.#pool = new RegionPool(
      {
        create: (byteLength) => memory.create(byteLength),
        register: (region) => memory.register(this.#connected(), region),
        unregister: (region) => memory.unregister(this.#connection, region),
      },
      options.maxRegions,
    );
  }

  /** Makes the regions known to a server that may be a new one. Never rejects: without them inputs go into the message. */
  async connected(connection: Connection): Promise<void> {
    this.#connection = connection;
    await this.#pool?.connected().catch((error: unknown) => this.#options.log.warn({ err: error }, 'the server does not take our regions'));
  }

  disconnected(): void {
    this.#connection = undefined;
    this.#pool?.disconnected();
  }

  /**
   * Makes regions for as many calls at the same time as there are credits.
   * @throws {TritonError} `shared_memory` when that fails and shared memory was demanded
   */
  async reserve(model: string, inputs: readonly TensorSource[]): Promise<void> {
    const byteLength = layOut(inputs).byteLength;
    if (this.#pool === undefined || byteLength === 0) return;
    try {
      await this.#pool.reserve(model, byteLength, this.#options.credits);
      this.#say('tensors travel by shared memory');
    } catch (error) {
      if (this.#options.transport === 'shared_memory') {
        throw new TritonError('shared_memory', `no shared memory for the inputs of "${model}": ${textOf(error)}`, error);
      }
      this.#say(`tensors travel inside the messages, since shared memory failed: ${textOf(error)}`);
    }
  }

  /**
   * Writes the inputs to where the server reads them. What is in the message is valid until the next call of this method.
   * @throws whatever a source throws; nothing is held then
   */
  pack(model: string, inputs: readonly TensorSource[]): PackedInputs {
    const layout = layOut(inputs);
    const lease = layout.byteLength === 0 ? undefined : this.#take(model, layout.byteLength);
    return lease === undefined ? this.#packInline(inputs, layout) : packShared(inputs, layout, lease);
  }

  /** The process that was told of our regions has ended. */
  serverEnded(): void {
    this.#pool?.serverEnded();
  }

  /** The server said that it does not know this region. */
  forgotten(region: string): void {
    this.#pool?.forgotten(region).catch((error: unknown) => this.#options.log.warn({ err: error, region }, 'region not registered again'));
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#connection = undefined;
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw new TritonError('not_connected', 'there is no connection to the server');
    return this.#connection;
  }

  #take(model: string, byteLength: number): Lease | undefined {
    const lease = this.#pool?.take(model, byteLength);
    if (lease === undefined && this.#connection !== undefined) this.#grow(this.#connection, model, byteLength);
    return lease;
  }

  /** Larger inputs than were foreseen, or regions lost to calls of unknown fate: the calls after this one find new regions. */
  #grow(connection: Connection, model: string, byteLength: number): void {
    if (this.#pool === undefined || connection.state !== 'ready' || this.#growing.has(model)) return;
    this.#growing.add(model);
    this.#pool
      .reserve(model, byteLength, this.#options.credits)
      .catch((error: unknown) => this.#say(`tensors travel inside the messages, since shared memory failed: ${textOf(error)}`))
      .finally(() => this.#growing.delete(model));
  }

  #packInline(inputs: readonly TensorSource[], layout: Layout): PackedInputs {
    if (this.#staging.length < layout.byteLength) this.#staging = new Uint8Array(layout.byteLength);
    const staging = this.#staging;
    const contents = inputs.map((input, index) => {
      const offset = layout.offsets[index] ?? 0;
      const target = staging.subarray(offset, offset + input.byteLength);
      input.write(target);
      return target;
    });
    return { request: { inputs: inputs.map(describeInput), raw_input_contents: contents }, end: () => {} };
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#options.log.info(text);
  }
}

interface Layout {
  readonly offsets: readonly number[];
  readonly byteLength: number;
}

function layOut(inputs: readonly TensorSource[]): Layout {
  const offsets: number[] = [];
  let end = 0;
  for (const input of inputs) {
    const offset = Math.ceil(end / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    offsets.push(offset);
    end = offset + input.byteLength;
  }
  return { offsets, byteLength: end };
}

function packShared(inputs: readonly TensorSource[], layout: Layout, lease: Lease): PackedInputs {
  const { region } = lease;
  try {
    const described = inputs.map((input, index) => {
      const offset = layout.offsets[index] ?? 0;
      input.write(region.bytes.subarray(offset, offset + input.byteLength));
      return {
        ...describeInput(input),
        parameters: {
          shared_memory_region: { string_param: region.name },
          shared_memory_byte_size: { int64_param: input.byteLength },
          shared_memory_offset: { int64_param: offset },
        },
      };
    });
    region.flush(layout.byteLength);
    return { request: { inputs: described }, region: region.name, end: lease.end };
  } catch (error) {
    lease.end(true); // nothing was sent
    throw error;
  }
}

function describeInput(input: TensorSource): _inference_ModelInferRequest_InferInputTensor {
  return { name: input.name, datatype: input.datatype, shape: [...input.shape] };
}
