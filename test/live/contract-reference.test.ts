import { describe } from 'vitest';
import { describeContract } from '../contract/contract.js';
import { MODEL_NAMES, referenceFaults, referenceModels } from '../contract/models.js';
import type { ContractServer } from '../contract/server.js';
import { command } from '../support/faults.js';
import { ReferenceProcess } from '../support/reference-server.js';

describe('reference server', () => {
  describeContract(async (models = MODEL_NAMES): Promise<ContractServer> => {
    const server = await ReferenceProcess.start(referenceModels(models));
    const order = async (fault: Readonly<Record<string, unknown>>) => {
      await command(server.metricsPort, fault);
    };
    for (const fault of referenceFaults(models)) await order(fault);
    return {
      endpoint: server.endpoint,
      metric: (name, model) => server.metric(name, model),
      signal: (signal) => server.signal(signal),
      restart: () => order({ fault: 'restart', down_ms: 300 }),
      crash: (model) => order({ fault: 'crash', model }),
      goAway: () => order({ fault: 'go_away' }),
      stop: async () => {
        await server.stop();
      },
    };
  });
});
