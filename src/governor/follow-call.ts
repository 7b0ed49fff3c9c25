import { messageOf } from './error-message.js';
import type { Backend, StartCall } from './ports.js';

/** How the actor calls a backend that answers with promises. A rejection, which there should be none of, leaves the fate unknown. */
export function followCalls(backend: Backend): StartCall {
  return (call, ended) => {
    void backend
      .infer(call)
      .catch((error: unknown) => ({ result: 'unknown' as const, detail: messageOf(error) }))
      .then(ended);
  };
}
