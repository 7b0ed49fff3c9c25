/** What the processes that measure speed say, as JSON. */

/** What an event takes. */
export interface Cost {
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of events that end in an action other than a wake-up. */
  readonly actingP50Us: number;
  readonly actingP99Us: number;
}

/** Of one scenario with one policy. */
export interface DecisionCost {
  readonly streams: number;
  /** Of the run: arrivals, completions, wake-ups, and a tick each millisecond. */
  readonly events: number;
  readonly acting: number;
  readonly repeats: readonly Cost[];
  /** Of each event the quickest repeat: what the machine did besides shows in one of them, hardly in all. */
  readonly quickest: Cost;
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
