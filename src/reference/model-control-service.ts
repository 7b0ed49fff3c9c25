import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { Models } from './models.js';
import { RpcFailure } from './rpc-failure.js';
import { unary } from './unary.js';

type Handlers = Pick<GRPCInferenceServiceHandlers, 'RepositoryIndex' | 'RepositoryModelLoad' | 'RepositoryModelUnload'>;

/** The index, loading and unloading. @param loadMs how long a model takes to load */
export function modelControlService(models: Models, loadMs: (model: string) => number): Handlers {
  const check = (repository: string) => {
    if (models.exiting) throw new RpcFailure('UNAVAILABLE', 'Server not ready');
    if (repository !== '') throw new RpcFailure('UNIMPLEMENTED', "'repository_name' specification is not supported");
  };
  return {
    RepositoryIndex: unary(({ repository_name, ready }) => {
      check(repository_name);
      return {
        models: models
          .list()
          .filter(({ state }) => !ready || state === 'READY')
          .map(({ state, description: { name, version } }) => ({
            name,
            version,
            state,
            reason: state === 'UNAVAILABLE' ? 'unloaded' : '',
          })),
      };
    }),
    RepositoryModelLoad: unary(async ({ repository_name, model_name }) => {
      check(repository_name);
      const model = models.named(model_name);
      if (model === undefined) throw new RpcFailure('INTERNAL', `failed to load '${model_name}', failed to poll from model repository`);
      await model.load(loadMs(model_name));
      return {};
    }),
    RepositoryModelUnload: unary(async ({ repository_name, model_name }) => {
      check(repository_name);
      await models.named(model_name)?.unload(); // an unknown name is no error
      return {};
    }),
  };
}
