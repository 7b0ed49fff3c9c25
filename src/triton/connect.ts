/** Opens backends of the parameters: what the service is given to reach inference servers. */
import type { ConnectRequest } from '../service/served-backend.js';
import { readSecurity } from './tls.js';
import { TritonBackend } from './triton-backend.js';

export function connectTriton(request: ConnectRequest): TritonBackend {
  const { name, parameters, models, listener, now, log } = request;
  return new TritonBackend({
    name,
    endpoint: parameters.endpoint,
    security: readSecurity(name, parameters.tls),
    transport: parameters.transport,
    credits: parameters.slots + parameters.pipelining_depth,
    backendModels: models.map(({ backendModel, version }) => ({ name: backendModel, version })),
    listener,
    now,
    log,
  });
}
