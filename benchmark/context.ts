/** What every topic of the benchmark is given. */
import type { TritonServer } from '../test/support/triton-server.js';
import type { Section } from './report.js';

export interface BenchContext {
  readonly repeats: number;
  /** Of each measurement of a node. */
  readonly seconds: number;
  readonly abort: AbortSignal;
  /** For files that nobody needs afterwards. */
  readonly folder: string;
  /** The one Triton of the run, with all models of the benchmark; started when it is first asked for. */
  triton(): Promise<TritonServer>;
  progress(text: string): void;
}

export interface Topic {
  readonly name: string;
  readonly description: string;
  measure(context: BenchContext): Promise<Section>;
}
