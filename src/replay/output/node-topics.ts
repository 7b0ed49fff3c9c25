/** The topics of the node in a bag: messages are stamped and logged by the clock of the replay. */
import { DEFAULT_NODE } from '../../config/load.js';
import { expandName } from '../../config/node-name.js';
import type { OutcomeRecord, ResultRecord } from '../../governor/ports.js';
import { diagnosticsMessage } from '../../ros/diagnostics-message.js';
import { NODE_TOPICS, resultTopic } from '../../ros/node-topics.js';
import { outcomeMessage } from '../../ros/outcome-message.js';
import { resultMessage } from '../../ros/result-message.js';
import type { TopicDescription } from '../../ros/serialised-topic.js';
import { statusMessage } from '../../ros/status-message.js';
import type { DiagnosticStatus } from '../../telemetry/diagnostics.js';
import type { GovernorStatus } from '../../telemetry/status.js';
import type { BagWriter, TopicWriter } from './bag-writer.js';

export class NodeTopics {
  readonly #outcomes: TopicWriter;
  readonly #status: TopicWriter;
  readonly #diagnostics: TopicWriter;
  readonly #results: ReadonlyMap<string, TopicWriter>;
  readonly #rosNowNs: () => bigint;

  private constructor(
    [outcomes, status, diagnostics]: readonly [TopicWriter, TopicWriter, TopicWriter],
    results: ReadonlyMap<string, TopicWriter>,
    rosNowNs: () => bigint,
  ) {
    this.#outcomes = outcomes;
    this.#status = status;
    this.#diagnostics = diagnostics;
    this.#results = results;
    this.#rosNowNs = rosNowNs;
  }

  /** @param withResults streams that have results: what a profile answers is none */
  static async open(bag: BagWriter, withResults: readonly string[], rosNowNs: () => bigint): Promise<NodeTopics> {
    const add = ({ name, type, depth }: TopicDescription) => bag.addTopic(expandName(name, DEFAULT_NODE), type, depth);
    const topics = [await add(NODE_TOPICS.outcomes), await add(NODE_TOPICS.status), await add(NODE_TOPICS.diagnostics)] as const;
    const results = new Map<string, TopicWriter>();
    for (const stream of withResults) results.set(stream, await add(resultTopic(stream)));
    return new NodeTopics(topics, results, rosNowNs);
  }

  outcome(record: OutcomeRecord): void {
    this.#outcomes(outcomeMessage(record), this.#rosNowNs());
  }

  result(record: ResultRecord): void {
    this.#results.get(record.stream)?.(resultMessage(record), this.#rosNowNs());
  }

  status(status: GovernorStatus): void {
    this.#status(statusMessage(status, this.#rosNowNs()), this.#rosNowNs());
  }

  diagnostics(statuses: readonly DiagnosticStatus[]): void {
    this.#diagnostics(diagnosticsMessage(statuses, this.#rosNowNs()), this.#rosNowNs());
  }
}
