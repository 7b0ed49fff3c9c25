/** `vig replay --backend live`, from files to a report. */
import type { Logger } from 'pino';
import { Pauses } from '../../files/pauses.js';
import type { ConnectServer } from '../../service/served-backend.js';
import { Bag } from '../bag/open-bag.js';
import type { ReplayContract } from '../contract-file.js';
import { type BagWriter, withWriter } from '../output/bag-writer.js';
import { NodeTopics } from '../output/node-topics.js';
import type { Timeline } from '../plot/timeline.js';
import { type ContractReport, contractName, replayReport } from '../report.js';
import type { Replayed, ReplayRequest } from '../run-replay.js';
import { type RunTrace, withTrace } from '../run-trace.js';
import { LiveRun } from './live-run.js';

export interface LiveRequest extends Omit<ReplayRequest, 'seed'> {
  readonly connect: ConnectServer;
  readonly fast: boolean;
  readonly log: Logger;
}

/** What one contract made of the bag. */
interface Pass {
  readonly bag: Pick<Bag, 'name' | 'span'>;
  readonly problems: readonly string[];
  readonly findings: readonly string[];
  readonly report: ContractReport;
  readonly timeline: Timeline | undefined;
}

const NS_PER_S = 1e9;

/**
 * Each contract has the servers for itself, one after the other.
 * @throws {BagError} when nothing of the bag can be read. @throws {BagWriteError} when the output cannot be made.
 * @throws {LiveReplayError} when a server is not ready in time. @throws {WriteError} @throws {TraceError} when the trace cannot be written.
 */
export function runLive(request: LiveRequest): Promise<Replayed> {
  return withTrace(request.trace, (trace) => runPasses(request, trace));
}

function runPasses(request: LiveRequest, trace: RunTrace | undefined): Promise<Replayed> {
  const { contract, compare, output, progress } = request;
  const count = 1 + compare.length;
  const pass = (one: ReplayContract, number: number, records: PassRecords = {}) =>
    runPass({ ...request, contract: one, progress: (done, of) => progress(number * of + done, count * of) }, number < count - 1, records);
  return withWriter(output, async (writer) => {
    const first = await pass(contract, 0, { writer, trace });
    trace?.close();
    const others: Pass[] = [];
    for (const [index, one] of compare.entries()) others.push(await pass(one, index + 1));
    const passes = [first, ...others];
    return {
      report: replayReport({
        bag: first.bag,
        problems: [...new Set(passes.flatMap(({ problems }) => problems))],
        findings: [...new Set(passes.flatMap(({ findings }) => findings))],
        seed: null,
        report: first.report,
        compare: others.map(({ report }) => report),
      }),
      timelines: passes.flatMap(({ timeline }) => timeline ?? []),
    };
  });
}

/** What is written beside the report. */
interface PassRecords {
  readonly writer?: BagWriter | undefined;
  readonly trace?: RunTrace | undefined;
}

/** @param followed whether another contract has the servers next */
async function runPass(
  { bag: name, contract, connect, fast, log, timelines, progress }: LiveRequest,
  followed: boolean,
  { writer, trace }: PassRecords,
): Promise<Pass> {
  const bag = await Bag.open(name);
  const pauses = new Pauses();
  try {
    const span = bag.span ?? { startNs: 0n, endNs: 0n };
    const seconds = Math.ceil(Number(span.endNs - span.startNs) / NS_PER_S);
    const live = new LiveRun({ bag, span, contract, connect, fast, timeline: timelines, log, trace: trace?.open });
    try {
      await live.start();
      const streams = Object.keys(contract.parameters.streams);
      const topics = writer === undefined ? undefined : await NodeTopics.open(writer, streams, () => live.rosNowNs());
      const { report, findings, drained } = await live.run(topics, async (doneNs) => {
        progress(Math.floor(doneNs / NS_PER_S), seconds);
        await writer?.flush();
        await pauses.take();
      });
      const disturbed = `${contractName(contract.files)}: not every call had ended when the next contract began, whose figures may have suffered`;
      const problems = [...bag.problems.lines(), ...(followed && !drained ? [disturbed] : [])];
      return { bag, problems, findings, report, timeline: live.timeline };
    } finally {
      await live.close();
    }
  } finally {
    await bag.close();
  }
}
