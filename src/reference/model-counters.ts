/** What a model has counted. It moves when an execution ends. */
export interface Tally {
  count: number;
  ns: bigint;
}

/** Times of one call, of the process's monotonic clock. */
export interface CallTimes {
  readonly queuedAt: bigint;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
}

export class ModelCounters {
  /** Calls executed, whatever their answer says. */
  readonly success: Tally = { count: 0, ns: 0n };
  /** Calls whose execution failed. */
  readonly fail: Tally = { count: 0, ns: 0n };
  readonly queue: Tally = { count: 0, ns: 0n };
  readonly compute: Tally = { count: 0, ns: 0n };
  /** Elements of batches; of a model without batches, calls. */
  inferences = 0;
  executions = 0;
  /** Milliseconds since the epoch, 0 before the first. */
  lastInferenceMs = 0;

  executed(): void {
    this.executions += 1;
    this.lastInferenceMs = Date.now();
  }

  succeeded({ queuedAt, startedAt, endedAt }: CallTimes, size: number): void {
    this.inferences += size;
    add(this.success, endedAt - queuedAt);
    add(this.queue, startedAt - queuedAt);
    add(this.compute, endedAt - startedAt);
  }

  failed({ queuedAt, endedAt }: CallTimes): void {
    add(this.fail, endedAt - queuedAt);
  }
}

function add(tally: Tally, ns: bigint): void {
  tally.count += 1;
  tally.ns += ns;
}
