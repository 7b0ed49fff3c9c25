/** What the suite needs of a server under test: it serves the models of `models.ts`. */
export interface ContractServer {
  /** host:port of gRPC; the same after a restart. */
  readonly endpoint: string;
  /** Value of a metric of one model. */
  metric(name: string, model: string): Promise<number>;
  /** Sends a signal and does not wait. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process as SIGKILL does, and resolves when another one serves in its place. */
  restart(): Promise<void>;
  /** Kills the process that executes a model. */
  crash(model: string): Promise<void>;
  /** Clients that ping more often than every 100 ms are told to go away now, if they were not by themselves. */
  goAway(): Promise<void>;
  /** Resolves once the process has ended. */
  stop(): Promise<void>;
}

/** @param models only these; all without it */
export type StartServer = (models?: readonly string[]) => Promise<ContractServer>;
