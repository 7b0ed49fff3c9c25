/** `vig replay`, from files to a report. */
import { Bag } from './bag/open-bag.js';
import type { ReplayContract } from './contract-file.js';
import { ContractRun } from './contract-run.js';
import { replay } from './replay.js';
import type { ReplayReport } from './report.js';
import { stampProblems } from './stamp-findings.js';
import { milliseconds } from './stream-record.js';

export interface ReplayRequest {
  readonly bag: string;
  readonly contract: ReplayContract;
  /** Others, on the same messages. */
  readonly compare: readonly ReplayContract[];
  readonly seed: number;
  /** Seconds of the bag. */
  readonly progress: (done: number, of: number) => void;
}

/** @throws {BagError} when nothing of the bag can be read. */
export async function runReplay(request: ReplayRequest): Promise<ReplayReport> {
  const bag = await Bag.open(request.bag);
  try {
    return await replayBag(bag, request);
  } finally {
    await bag.close();
  }
}

const NS_PER_S = 1e9;

async function replayBag(bag: Bag, { contract, compare, seed, progress }: ReplayRequest): Promise<ReplayReport> {
  const span = bag.span ?? { startNs: 0n, endNs: 0n };
  const durationNs = Number(span.endNs - span.startNs);
  const of = Math.ceil(durationNs / NS_PER_S);
  const [first, ...others] = [contract, ...compare].map((one) => ({
    streams: one.streams,
    run: new ContractRun({ contract: one, span, seed }),
  }));
  if (first === undefined) throw new RangeError('there is no contract');
  const runs = [first, ...others];
  await replay({ bag, runs, progress: (doneNs) => progress(Math.floor(doneNs / NS_PER_S), of) });
  const report = first.run.report();
  const compared = others.map(({ run }) => run.report());
  return {
    bag: bag.name,
    start_ns: bag.span === undefined ? null : String(span.startNs),
    duration_ms: milliseconds(durationNs),
    seed,
    problems: [...bag.problems.lines(), ...stampProblems(report).map((line) => `${bag.name}: ${line}`)],
    ...report,
    ...(compared.length === 0 ? {} : { compare: compared }),
  };
}
