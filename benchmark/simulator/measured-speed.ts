/** What the processes that measure speed say, as JSON. */

/** Of one scenario with one policy. */
export interface DecisionCost {
  readonly streams: number;
  /** Of the run: arrivals, completions, wake-ups, and a tick each millisecond. */
  readonly events: number;
  readonly repeats: readonly {
    readonly p50Us: number;
    readonly p99Us: number;
    /** Events that ended in an action other than a wake-up. */
    readonly acting: number;
    readonly actingP50Us: number;
    readonly actingP99Us: number;
  }[];
}

export interface SimulatorSpeed {
  readonly streams: number;
  /** Events that the core handled; one entry a repeat. */
  readonly perSecond: readonly number[];
}

export interface IdlePasses {
  readonly passes: number;
  /** Bytes of a pass, by the state in which passes were made. */
  readonly fromZeroBytes: readonly number[];
  /** On the clock of the live node, whose instants do not fit into 31 bits. */
  readonly liveBytes: readonly number[];
}
