/** An inference server inside the test: ready, and each call stays open until the test ends it. */
import type { Micros } from '../../src/core/units.js';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { Call, CallEnd } from '../../src/governor/ports.js';
import type { InferenceServer, ServerHealth, ServerListener } from '../../src/service/inference-server.js';
import type { ConnectServer } from '../../src/service/served-backend.js';

export const METADATA: ModelMetadata = {
  name: 'centerface',
  versions: ['1'],
  inputs: [{ name: 'x', datatype: 'UINT8', shape: [1, -1, -1, 3] }],
  outputs: [{ name: 'y', datatype: 'FP32', shape: [1] }],
  instances: 1,
  maxBatchSize: 0,
  decoupled: false,
};

export class ManualServer implements InferenceServer {
  readonly calls: { readonly call: Call; readonly end: (end: CallEnd) => void }[] = [];
  closed = false;
  #listener: ServerListener | undefined;

  readonly connect: ConnectServer = ({ listener }) => {
    this.#listener = listener;
    return this;
  };

  start(): void {
    this.#listener?.readiness('centerface', true, '');
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  describe(): Promise<ModelMetadata> {
    return Promise.resolve(METADATA);
  }

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  health(): ServerHealth {
    return { reachable: true, ready: true, detail: 'ready' };
  }

  roundTripP90(): Micros | undefined {
    return undefined;
  }

  poll(): void {}

  infer(call: Call): Promise<CallEnd> {
    return new Promise((end) => this.calls.push({ call, end }));
  }
}
