/** `vig replay --backend live`, from files to a report. */
import type { Logger } from 'pino';
import type { ConnectServer } from '../../service/served-backend.js';
import { Bag } from '../bag/open-bag.js';
import type { ReplayContract } from '../contract-file.js';
import { withWriter } from '../output/bag-writer.js';
import { NodeTopics } from '../output/node-topics.js';
import { type ReplayReport, replayReport } from '../report.js';
import { LiveRun } from './live-run.js';

export interface LiveRequest {
  readonly bag: string;
  readonly contract: ReplayContract;
  readonly connect: ConnectServer;
  readonly fast: boolean;
  /** A folder to make, for a bag with what the node would have published. */
  readonly output: string | undefined;
  readonly log: Logger;
  /** Seconds of the bag. */
  readonly progress: (done: number, of: number) => void;
}

const NS_PER_S = 1e9;

/**
 * @throws {BagError} when nothing of the bag can be read. @throws {BagWriteError} when the output cannot be made.
 * @throws {LiveReplayError} when a server is not ready in time.
 */
export async function runLive({ bag: name, contract, connect, fast, output, log, progress }: LiveRequest): Promise<ReplayReport> {
  const bag = await Bag.open(name);
  try {
    return await withWriter(output, async (writer) => {
      const span = bag.span ?? { startNs: 0n, endNs: 0n };
      const seconds = Math.ceil(Number(span.endNs - span.startNs) / NS_PER_S);
      const live = new LiveRun({ bag, span, contract, connect, fast, log });
      try {
        await live.start();
        const streams = Object.keys(contract.parameters.streams);
        const topics = writer === undefined ? undefined : await NodeTopics.open(writer, streams, () => live.rosNowNs());
        const report = await live.run(topics, async (doneNs) => {
          progress(Math.floor(doneNs / NS_PER_S), seconds);
          await writer?.flush();
        });
        return replayReport(bag, null, report, []);
      } finally {
        await live.close();
      }
    });
  } finally {
    await bag.close();
  }
}
