/** What the live node would have published of a run on virtual time. */
import type { OutcomeRecord, ResultRecord } from '../../governor/ports.js';
import { NodeStatus } from '../../service/node-status.js';
import { Observer } from '../../telemetry/observer.js';
import type { ReplayContract } from '../contract-file.js';
import type { ContractRun, RunListener, StampReading } from '../contract-run.js';
import type { BagWriter } from './bag-writer.js';
import { NodeTopics } from './node-topics.js';
import { reportRegularly } from './status-times.js';

const UNCOUNTED = { received: () => {}, lost: () => {}, outcome: () => {} };
const HEALTHY = { health: () => ({ reachable: true, ready: true, detail: '' }), startHint: '' };

export class SimulatedNode implements RunListener {
  readonly #observer: Observer;
  readonly #reportEnd: () => void;

  private constructor(run: ContractRun, { parameters, streams }: ReplayContract, topics: NodeTopics) {
    const contracts = new Map(run.configuration.streams.map(({ name, contract }) => [name, contract]));
    const observer = new Observer(contracts, run.clock, UNCOUNTED, {
      received: () => {},
      result: () => {},
      outcome: (record) => topics.outcome(record),
    });
    this.#observer = observer;
    const shown = new Map(streams.map(({ name, topic }) => [name, { topic }]));
    const backends = new Map(Object.keys(parameters.backends).map((name) => [name, HEALTHY]));
    const status = new NodeStatus(run.core, observer, shown, contracts, backends, run.clock);
    const node = {
      status: () => status.read(true),
      diagnostics: () => status.diagnose(() => undefined, undefined),
      silentUs: (stream: string) => observer.silentUs(stream) ?? run.time.nowNs / 1000,
      isBusy: () => run.isBusy(),
    };
    this.#reportEnd = reportRegularly(node, parameters, run.clock, topics);
  }

  static async attach(run: ContractRun, contract: ReplayContract, bag: BagWriter): Promise<void> {
    const topics = await NodeTopics.open(bag, [], () => run.rosNowNs());
    run.tell(new SimulatedNode(run, contract, topics));
  }

  stamped(stream: string, ageUs: number, reading: StampReading): void {
    this.#observer.stamped(stream, ageUs, reading);
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#observer.received(stream, ageUs);
  }

  result(record: ResultRecord): void {
    this.#observer.result(record);
  }

  outcome(record: OutcomeRecord): void {
    this.#observer.outcome(record);
  }

  finished(): void {
    this.#reportEnd();
  }
}
