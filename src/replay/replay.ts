/** A bag against one contract or several: every message once, each contract in a virtual time of its own. */
import { messageOf } from '../governor/error-message.js';
import type { Header } from '../governor/ports.js';
import type { MessageBlock } from './bag/message-block.js';
import type { Bag } from './bag/open-bag.js';
import type { ReplayContract } from './contract-file.js';
import type { ContractRun } from './contract-run.js';
import { createHeaderReader, type HeaderReader, readReception } from './header-reader.js';
import { LogGaps } from './log-gaps.js';
import { type ChannelRoute, routesOf, TopicRouter } from './topics.js';

export interface ReplayOptions {
  readonly bag: Bag;
  readonly runs: readonly { readonly contract: ReplayContract; readonly run: ContractRun }[];
  /** Called again and again, with how much of the bag is replayed: time for what waits for its turn. */
  readonly settle: (doneNs: number) => Promise<void>;
}

/** Time in which nothing comes is passed in steps: what it brings about is settled, and nothing piles up, however long it is. */
const STEP_NS = 1e9;

const NO_HEADER: Header = { stamp: { sec: 0, nanosec: 0 }, frameId: '' };

/**
 * Brings every message of the bag to every stream that is subscribed to its topic, and every run to its end.
 * @returns findings about the bag, one line each.
 */
export async function replay({ bag, runs, settle }: ReplayOptions): Promise<readonly string[]> {
  const routes = runs.flatMap(({ contract, run }) => routesOf(contract, run));
  const router = new TopicRouter({ bag, routes, createReader: createHeaderReader, receptionReader: readReception });
  const gaps = new LogGaps(bag);
  let reachedNs = 0;
  const pass = async (toNs: number): Promise<void> => {
    while (toNs - reachedNs > STEP_NS) {
      reachedNs += STEP_NS;
      for (const { run } of runs) run.advance(reachedNs);
      await settle(reachedNs);
    }
  };
  for await (const { block, from, to } of bag.messages(router.wants)) {
    for (let index = from; index < to; index += 1) {
      const route = router.routeOf(block, index);
      if (route === undefined) continue;
      const atNs = block.sinceStartNs(index);
      if (atNs - reachedNs > STEP_NS) await pass(atNs);
      if (atNs > reachedNs) reachedNs = atNs;
      gaps.note(block, index);
      deliver(block, index, route, router);
    }
    await settle(block.sinceStartNs(to - 1));
  }
  if (bag.span !== undefined) await pass(Number(bag.span.endNs - bag.span.startNs));
  for (const { run } of runs) run.finish();
  router.tell();
  return gaps.tell();
}

type Router = TopicRouter<ContractRun, HeaderReader>;

function deliver(block: MessageBlock, index: number, { read, targets }: ChannelRoute<ContractRun, HeaderReader>, router: Router): void {
  let header: Header | undefined;
  let problem = '';
  try {
    header = read(block, index);
  } catch (error) {
    problem = messageOf(error);
    router.unreadable(block, index, error);
  }
  const sinceStartNs = block.sinceStartNs(index);
  for (const { target: run, stream } of targets) {
    run.advance(sinceStartNs);
    if (header === undefined) run.refuse(stream, NO_HEADER, problem);
    else run.receive(stream, header, block.logNs(index));
  }
}
