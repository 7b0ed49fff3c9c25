import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse } from '../triton/generated/inference/ModelInferResponse.js';
import { CallFaults } from './call-faults.js';
import type { Connections } from './connections.js';
import { execute } from './execution.js';
import type { ExecutionLog } from './execution-log.js';
import type { Faults } from './faults.js';
import { serveStream } from './infer-stream.js';
import type { ModelDescription } from './model-description.js';
import type { Models } from './models.js';
import { RpcFailure } from './rpc-failure.js';
import type { SharedMemory } from './shared-memory.js';
import { unary } from './unary.js';

type Handlers = Pick<GRPCInferenceServiceHandlers, 'ModelInfer' | 'ModelStreamInfer'>;

export interface InferenceParts {
  readonly models: Models;
  readonly memory: SharedMemory;
  readonly faults: Faults;
  readonly connections: Pick<Connections, 'reset'>;
  readonly executions?: ExecutionLog | undefined;
}

export function inferenceService({ models, memory, faults, connections, executions }: InferenceParts): Handlers {
  const infer = async (
    request: ModelInferRequest__Output,
    peer: string,
    check: (model: ModelDescription) => void,
    partial: (response: ModelInferResponse) => void,
  ) => {
    const met = new CallFaults(faults, connections, request.model_name, peer);
    await met.reach('arrival');
    const runner = models.get(request.model_name, request.model_version);
    check(runner.model);
    const call = { model: request.model_name, id: request.id };
    const begun = () => {
      executions?.began(call);
      return met.reach('execution');
    };
    const response = await execute(runner, request, memory, { begun, ended: () => executions?.ended(call), partial });
    await met.reach('answer');
    return response;
  };
  return {
    ModelInfer: unary((request, peer) => infer(request, peer, refuseDecoupled, () => undefined)),
    ModelStreamInfer: (stream) => {
      const peer = stream.getPeer();
      const requests = {
        infer: (request: ModelInferRequest__Output, partial: (response: ModelInferResponse) => void) =>
          infer(request, peer, () => undefined, partial),
        isOrdered: ({ model_name }: ModelInferRequest__Output) => models.named(model_name)?.description.decoupled !== true,
      };
      serveStream(stream, requests).catch(() => stream.destroy());
    },
  };
}

function refuseDecoupled({ decoupled }: ModelDescription): void {
  if (decoupled) throw new RpcFailure('UNIMPLEMENTED', "ModelInfer RPC doesn't support models with decoupled transaction policy");
}
