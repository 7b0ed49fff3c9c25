/** `vig replay`, from files to a report. */
import { Pauses } from '../files/pauses.js';
import { Bag } from './bag/open-bag.js';
import type { ReplayContract } from './contract-file.js';
import { ContractRun } from './contract-run.js';
import { type BagWriter, withWriter } from './output/bag-writer.js';
import { SimulatedNode } from './output/simulated-node.js';
import type { Timeline } from './plot/timeline.js';
import { replay } from './replay.js';
import { type ReplayReport, replayReport } from './report.js';
import { type RunTrace, withTrace } from './run-trace.js';

export interface ReplayRequest {
  readonly bag: string;
  readonly contract: ReplayContract;
  /** Others, on the same messages. */
  readonly compare: readonly ReplayContract[];
  readonly seed: number;
  /** A folder to make, for a bag with what the node would have published under the first contract. */
  readonly output?: string;
  /** A file for the trace of the first contract. */
  readonly trace?: string;
  /** Whether timelines are kept, for plots. */
  readonly timelines: boolean;
  /** Seconds of the bag. */
  readonly progress: (done: number, of: number) => void;
}

export interface Replayed {
  readonly report: ReplayReport;
  /** One a contract. */
  readonly timelines: readonly Timeline[];
}

/**
 * @throws {BagError} when nothing of the bag can be read. @throws {BagWriteError} when the output cannot be made.
 * @throws {WriteError} @throws {TraceError} when the disk is full; nothing is left half done then.
 */
export async function runReplay(request: ReplayRequest): Promise<Replayed> {
  const bag = await Bag.open(request.bag);
  try {
    return await withTrace(request.trace, (trace) => withWriter(request.output, (writer) => replayBag(bag, request, writer, trace)));
  } finally {
    await bag.close();
  }
}

const NS_PER_S = 1e9;

async function replayBag(bag: Bag, request: ReplayRequest, writer: BagWriter | undefined, traced: RunTrace | undefined): Promise<Replayed> {
  const { contract, compare, seed, progress } = request;
  const span = bag.span ?? { startNs: 0n, endNs: 0n };
  const durationNs = Number(span.endNs - span.startNs);
  const runOf = (one: ReplayContract, trace?: RunTrace) => ({
    contract: one,
    run: new ContractRun({ contract: one, span, seed, timeline: request.timelines, ...(trace === undefined ? {} : { trace: trace.open }) }),
  });
  const first = runOf(contract, traced);
  const others = compare.map((one) => runOf(one));
  const runs = [first, ...others];
  const pauses = new Pauses();
  if (writer !== undefined) await SimulatedNode.attach(first.run, contract, writer);
  const findings = await replay({
    bag,
    runs,
    settle: async (doneNs) => {
      progress(Math.floor(doneNs / NS_PER_S), Math.ceil(durationNs / NS_PER_S));
      await writer?.flush();
      await pauses.take();
    },
  });
  traced?.close();
  return {
    report: replayReport({
      bag,
      problems: bag.problems.lines(),
      findings,
      seed,
      report: first.run.report(),
      compare: others.map(({ run }) => run.report()),
    }),
    timelines: runs.flatMap(({ run }) => run.timeline ?? []),
  };
}
