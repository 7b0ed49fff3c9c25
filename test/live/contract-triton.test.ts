import { describe } from 'vitest';
import { describeContract } from '../contract/contract.js';
import { tritonModels } from '../contract/models.js';
import type { ContractServer } from '../contract/server.js';
import { TritonServer } from '../support/triton-server.js';

describe('Triton', () => {
  describeContract(async (): Promise<ContractServer> => {
    const server = await TritonServer.start({ models: tritonModels() });
    return {
      endpoint: server.endpoint,
      metric: (name, model) => server.metric(name, model),
      terminate: () => server.signal('SIGTERM'),
      stop: () => server.stop(),
    };
  });
});
