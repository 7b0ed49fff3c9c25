import { describe } from 'vitest';
import { describeContract } from '../contract/contract.js';
import { MODEL_NAMES, tritonModels } from '../contract/models.js';
import type { ContractServer } from '../contract/server.js';
import { processOfModel } from '../support/model-process.js';
import { TritonServer } from '../support/triton-server.js';

describe('Triton', () => {
  describeContract(async (names = MODEL_NAMES): Promise<ContractServer> => {
    const models = tritonModels(names);
    let server = await TritonServer.start({ models });
    return {
      endpoint: server.endpoint,
      metric: (name, model) => server.metric(name, model),
      signal: (signal) => server.signal(signal),
      restart: async () => {
        await server.kill();
        server = await TritonServer.start({ models, ports: server.ports });
      },
      crash: async (model) => {
        process.kill(processOfModel(server.pid, model), 'SIGKILL');
      },
      goAway: async () => undefined, // it has done so at the third ping
      stop: () => server.stop(),
    };
  });
});
