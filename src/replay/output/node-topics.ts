/** What the live node would have published, on its topics, by the clock of the replay. */
import { DEFAULT_NODE } from '../../config/load.js';
import { expandName } from '../../config/node-name.js';
import type { OutcomeRecord, ResultRecord } from '../../governor/ports.js';
import { diagnosticsMessage } from '../../ros/diagnostics-message.js';
import { NODE_TOPICS } from '../../ros/node-topics.js';
import { outcomeMessage } from '../../ros/outcome-message.js';
import { StatusBroadcast, TICK_MS } from '../../ros/status-broadcast.js';
import { statusMessage } from '../../ros/status-message.js';
import { longestSilenceMs } from '../../ros/stream-input.js';
import { NodeStatus } from '../../service/node-status.js';
import { Observer } from '../../telemetry/observer.js';
import type { ReplayContract } from '../contract-file.js';
import type { ContractRun, RunListener, StampReading } from '../contract-run.js';
import type { BagWriter, TopicWriter } from './bag-writer.js';

const NS_PER_MS = 1_000_000;
const UNCOUNTED = { received: () => {}, lost: () => {}, outcome: () => {} };
const HEALTHY = { health: () => ({ reachable: true, ready: true, detail: '' }), startHint: '' };

interface Topics {
  readonly outcomes: TopicWriter;
  readonly status: TopicWriter;
  readonly diagnostics: TopicWriter;
}

/** Attached to a run, it publishes outcomes as they come, status and diagnostics at their times. */
export class NodeTopics implements RunListener {
  readonly #run: ContractRun;
  readonly #topics: Topics;
  readonly #observer: Observer;
  readonly #status: NodeStatus;
  readonly #broadcast: StatusBroadcast;

  private constructor(run: ContractRun, { parameters, streams }: ReplayContract, topics: Topics) {
    this.#run = run;
    this.#topics = topics;
    const contracts = new Map(run.configuration.streams.map(({ name, contract }) => [name, contract]));
    this.#observer = new Observer(contracts, run.clock, UNCOUNTED, {
      received: () => {},
      result: () => {}, // what a profile answers is no result
      outcome: (record) => topics.outcomes(outcomeMessage(record), run.rosNowNs()),
    });
    const topicOf = new Map(streams.map(({ name, topic }) => [name, { topic }]));
    const backends = new Map(Object.keys(parameters.backends).map((name) => [name, HEALTHY]));
    this.#status = new NodeStatus(run.core, this.#observer, topicOf, contracts, backends, run.clock);
    const silenceUs = new Map(Object.entries(parameters.streams).map(([name, stream]) => [name, longestSilenceMs(stream) * 1000]));
    this.#broadcast = new StatusBroadcast(
      {
        status: () => this.#status.read(true),
        isSilent: (stream) => this.#silentUs(stream) > (silenceUs.get(stream) ?? 0),
        look: () => {},
        publishStatus: (status) => topics.status(statusMessage(status, run.rosNowNs()), run.rosNowNs()),
        publishDiagnostics: () => this.#publishDiagnostics(),
      },
      {
        error: ({ err }: { readonly err: unknown }) => {
          throw err;
        },
      },
    );
  }

  static async attach(run: ContractRun, contract: ReplayContract, bag: BagWriter): Promise<void> {
    const add = ({ name, type, depth }: (typeof NODE_TOPICS)[keyof typeof NODE_TOPICS]) =>
      bag.addTopic(expandName(name, DEFAULT_NODE), type, depth);
    const topics = {
      outcomes: await add(NODE_TOPICS.outcomes),
      status: await add(NODE_TOPICS.status),
      diagnostics: await add(NODE_TOPICS.diagnostics),
    };
    const node = new NodeTopics(run, contract, topics);
    run.listen(node);
    node.#tick();
  }

  stamped(stream: string, ageUs: number, reading: StampReading): void {
    this.#observer.stamped(stream, ageUs, reading);
  }

  executed(): void {}

  received(stream: string, ageUs: number | undefined): void {
    this.#observer.received(stream, ageUs);
  }

  result(record: ResultRecord): void {
    this.#observer.result(record);
  }

  outcome(record: OutcomeRecord): void {
    this.#observer.outcome(record);
  }

  /** From the start of the bag on; as long as the run goes on. */
  #tick(): void {
    const { time } = this.#run;
    this.#broadcast.tick();
    time.schedule(time.nowNs + TICK_MS * NS_PER_MS, () => this.#tick());
  }

  #silentUs(stream: string): number {
    return this.#observer.silentUs(stream) ?? this.#run.time.nowNs / 1000;
  }

  #publishDiagnostics(): void {
    const now = this.#run.rosNowNs();
    this.#topics.diagnostics(
      diagnosticsMessage(
        this.#status.diagnose(() => undefined, undefined),
        now,
      ),
      now,
    );
  }
}
