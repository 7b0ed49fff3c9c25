/** Which calls a server has not answered. */
import type { Call, CallEnd } from '../../governor/ports.js';
import type { InferenceServer } from '../../service/inference-server.js';
import type { ConnectServer } from '../../service/served-backend.js';

/** Hears of a call as it is sent. @returns what hears of its end. */
export type CallListener = (backend: string, request: number) => (end: CallEnd) => void;

export class OpenCalls {
  #open = 0;
  #waiters: (() => void)[] = [];

  get any(): boolean {
    return this.#open > 0;
  }

  /** Resolves as the next call has ended, and everybody who waited for it has heard of it. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Counts the calls to every server that is connected to, and tells of them: of their ends before anybody else hears of these. */
  counting(connect: ConnectServer, sent: CallListener): ConnectServer {
    return (request) => this.#counted(request.name, connect(request), sent);
  }

  #counted(backend: string, server: InferenceServer, sent: CallListener): InferenceServer {
    const infer = (call: Call): Promise<CallEnd> => {
      this.#open += 1;
      const ended = sent(backend, call.request);
      const answer = server.infer(call).then((end) => {
        ended(end);
        return end;
      });
      void answer.finally(() => setImmediate(() => this.#end()));
      return answer;
    };
    return {
      infer,
      start: () => server.start(),
      close: () => server.close(),
      describe: (backendModel) => server.describe(backendModel),
      warmUp: (backendModel, inputs, calls) => server.warmUp(backendModel, inputs, calls),
      health: () => server.health(),
      roundTripP90: () => server.roundTripP90(),
      poll: (backendModel, everyUs) => server.poll(backendModel, everyUs),
    };
  }

  #end(): void {
    this.#open -= 1;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
