import { describe } from 'vitest';
import { describeContract } from '../contract/contract.js';
import { referenceModels } from '../contract/models.js';
import type { ContractServer } from '../contract/server.js';
import { ReferenceProcess } from '../support/reference-server.js';

describe('reference server', () => {
  describeContract(async (): Promise<ContractServer> => {
    const server = await ReferenceProcess.start(referenceModels());
    return {
      endpoint: server.endpoint,
      metric: (name, model) => server.metric(name, model),
      terminate: () => server.terminate(),
      stop: async () => {
        await server.stop();
      },
    };
  });
});
