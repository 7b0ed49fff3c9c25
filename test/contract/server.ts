/** What the suite needs of a server under test: it serves the models of `models.ts`. */
export interface ContractServer {
  /** host:port of gRPC. */
  readonly endpoint: string;
  /** Value of a metric of one model. */
  metric(name: string, model: string): Promise<number>;
  /** Sends SIGTERM and does not wait. */
  terminate(): void;
  /** Resolves once the process has ended. */
  stop(): Promise<void>;
}

export type StartServer = () => Promise<ContractServer>;
