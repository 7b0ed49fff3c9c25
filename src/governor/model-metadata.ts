/** What a model takes and gives, in the terms of KServe v2. */
import type { Datatype } from './ports.js';

export interface TensorMetadata {
  readonly name: string;
  readonly datatype: Datatype;
  /** With the batch dimension where the model has one; -1 = any size. */
  readonly shape: readonly number[];
}

export interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
  /** Executions of this model that the server runs at the same time; absent where it does not say. */
  readonly instances?: number;
  /** 0: the shapes have no batch dimension. */
  readonly maxBatchSize: number;
  /** Answers any number of times: cannot be called with one question for one answer. */
  readonly decoupled: boolean;
  readonly dynamicBatching?: DynamicBatching;
}

export interface DynamicBatching {
  /** How long the server holds a call back in the hope of company. */
  readonly delayUs: number;
  /** Calls that may wait at the server, 0 = any number. */
  readonly maxQueueSize: number;
}

/** What a model takes and gives, in one comparable text: models that differ in it do not stand in for each other. */
export function signatureOf({ inputs, outputs }: ModelMetadata): string {
  return `${describe(inputs)} -> ${describe(outputs)}`;
}

function describe(tensors: readonly TensorMetadata[]): string {
  return tensors
    .map(({ name, datatype, shape }) => `${name} ${datatype} [${shape.join(', ')}]`)
    .sort()
    .join('; ');
}
