/** A TritonBackend under test, with a record of what it reported, and tensors to send. */
import { pino } from 'pino';
import type { CallResult } from '../../src/core/events.js';
import { type Micros, requestId } from '../../src/core/units.js';
import { SteadyClock } from '../../src/governor/clock.js';
import type { CallEnd, Datatype, OutputTensor, TensorSource } from '../../src/governor/ports.js';
import { TritonBackend, type TritonOptions } from '../../src/triton/triton-backend.js';

export interface ReadinessRecord {
  readonly backendModel: string;
  readonly ready: boolean;
  readonly detail: string;
}

/** What else it told, in order. */
export type EvidenceRecord =
  | { readonly kind: 'counter'; readonly backendModel: string; readonly completed: number; readonly polledUs: Micros }
  | { readonly kind: 'witness'; readonly present: boolean; readonly polledUs: Micros }
  | { readonly kind: 'warm_up'; readonly backendModel: string; readonly call: number; readonly end?: CallResult }
  | { readonly kind: 'readiness'; readonly backendModel: string; readonly ready: boolean };

export class TritonHarness {
  readonly backend: TritonBackend;
  readonly records: ReadinessRecord[] = [];
  /** Readiness too: the order between the two matters. */
  readonly evidence: EvidenceRecord[] = [];
  readonly logLines: string[] = [];
  readonly #clock = new SteadyClock();
  #lastRequest = 0;

  constructor(endpoint: string, models: readonly string[], options: Partial<TritonOptions> = {}) {
    const log = pino({ level: 'debug' }, { write: (line: string) => void this.logLines.push(line) });
    this.backend = new TritonBackend({
      name: 'gpu',
      endpoint,
      transport: 'inline',
      credits: 2,
      backendModels: models.map((name) => ({ name })),
      listener: {
        readiness: (backendModel, ready, detail) => {
          this.records.push({ backendModel, ready, detail });
          this.evidence.push({ kind: 'readiness', backendModel, ready });
        },
        counter: (backendModel, completed, polledUs) => void this.evidence.push({ kind: 'counter', backendModel, completed, polledUs }),
        witness: (present, polledUs) => void this.evidence.push({ kind: 'witness', present, polledUs }),
        warmUp: (backendModel, call, end) =>
          void this.evidence.push({ kind: 'warm_up', backendModel, call, ...(end === undefined ? {} : { end }) }),
      },
      now: () => this.#clock.now(),
      log,
      ...options,
    });
    this.backend.start();
  }

  /** The last thing said about a model. */
  last(model: string): ReadinessRecord | undefined {
    return this.records.findLast((record) => record.backendModel === model);
  }

  isReady(model: string): boolean {
    return this.last(model)?.ready === true;
  }

  infer(backendModel: string, ...inputs: TensorSource[]): Promise<CallEnd> {
    this.#lastRequest += 1;
    return this.backend.infer({ request: requestId(this.#lastRequest), stream: 'front', backendModel, inputs });
  }
}

/** An input whose bytes are ready made. */
export function source(name: string, datatype: Datatype, shape: readonly number[], bytes: ArrayBufferView): TensorSource {
  const data = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { name, datatype, shape, byteLength: data.length, write: (target) => target.set(data) };
}

export const floats = (...values: number[]): TensorSource => source('IN', 'FP32', [values.length], Float32Array.from(values));

export const delay = (ms: number): TensorSource => source('DELAY_MS', 'INT32', [1], Int32Array.of(ms));

/** The outputs of a call that must have gone well. */
export function outputsOf(end: CallEnd): readonly OutputTensor[] {
  if (end.result !== 'ok') throw new Error(`the call ended as ${end.result}: ${end.detail}`);
  return end.outputs;
}

/** Values of a little-endian FP32 tensor that may start anywhere. */
export function floatsOf(tensor: OutputTensor | undefined): number[] {
  if (tensor === undefined) throw new Error('no such output');
  return [...new Float32Array(Uint8Array.from(tensor.data).buffer)];
}
