/** The Publisher port on ROS topics: every result and every outcome. */
import type { Logger } from 'pino';
import type { Parameters } from '../config/schema.js';
import type { OutcomeRecord, Publisher, ResultRecord } from '../governor/ports.js';
import type { RclNode, Rclnodejs } from './binding.js';
import { type DetectionsMessage, detectionsMessage } from './detections-message.js';
import { RosInterfaceError } from './interface-definitions.js';
import { detectionsTopic, NODE_TOPICS, resultTopic } from './node-topics.js';
import { type OutcomeMessage, outcomeMessage } from './outcome-message.js';
import { type ResultMessage, resultMessage } from './result-message.js';
import { SerialisedTopic, type TopicDescription } from './serialised-topic.js';

/** Longest wait for subscribers at the end. */
const FLUSH_MS = 200;

interface StreamTopics {
  readonly result: SerialisedTopic<ResultMessage>;
  /** Where the model has a decoder and vision_msgs is installed. */
  readonly detections?: SerialisedTopic<DetectionsMessage>;
  readonly publishObsolete: boolean;
}

export class RosPublisher implements Publisher {
  readonly #outcomes: SerialisedTopic<OutcomeMessage>;
  readonly #streams: ReadonlyMap<string, StreamTopics>;
  readonly #log: Logger;

  /** @throws {RosInterfaceError} when the messages of this package are not installed. */
  constructor(rcl: Rclnodejs, node: RclNode, parameters: Parameters, prefixes: readonly string[], log: Logger) {
    const topics = new TopicFactory(rcl, node, prefixes, log);
    this.#outcomes = topics.create(NODE_TOPICS.outcomes);
    this.#streams = new Map(Object.keys(parameters.streams).map((stream) => [stream, topics.ofStream(stream, parameters)]));
    this.#log = log;
  }

  /** Counted by the service; no topic carries it. */
  received(): void {}

  result(record: ResultRecord): void {
    this.#guard(record.stream, () => {
      const topics = this.#streams.get(record.stream);
      if (topics?.result.wanted) topics.result.publish(resultMessage(record));
      if (topics?.detections?.wanted && (topics.publishObsolete || !record.obsolete)) topics.detections.publish(detectionsMessage(record));
    });
  }

  outcome(record: OutcomeRecord): void {
    this.#guard(record.stream, () => this.#outcomes.publish(outcomeMessage(record)));
  }

  /** Lets subscribers have the last messages before the node goes. */
  flush(): void {
    for (const topic of [this.#outcomes, ...[...this.#streams.values()].map((topics) => topics.result)]) {
      this.#guard('', () => topic.flush(FLUSH_MS));
    }
  }

  #guard(stream: string, publish: () => void): void {
    try {
      publish();
    } catch (err) {
      this.#log.error({ err, stream }, 'a message could not be published');
    }
  }
}

class TopicFactory {
  readonly #rcl: Rclnodejs;
  readonly #node: RclNode;
  readonly #prefixes: readonly string[];
  readonly #log: Logger;
  #saidMissing = false;

  constructor(rcl: Rclnodejs, node: RclNode, prefixes: readonly string[], log: Logger) {
    this.#rcl = rcl;
    this.#node = node;
    this.#prefixes = prefixes;
    this.#log = log;
  }

  create<Message extends object>(topic: TopicDescription): SerialisedTopic<Message> {
    return new SerialisedTopic<Message>(this.#rcl, this.#node, topic, this.#prefixes);
  }

  ofStream(stream: string, parameters: Parameters): StreamTopics {
    const { model = '', publish_obsolete: publishObsolete = false } = parameters.streams[stream] ?? {};
    const decodes = parameters.models[model]?.output.decoder !== 'none';
    const detections = decodes ? this.#detections(stream) : undefined;
    return {
      result: this.create(resultTopic(stream)),
      ...(detections === undefined ? {} : { detections }),
      publishObsolete,
    };
  }

  #detections(stream: string): SerialisedTopic<DetectionsMessage> | undefined {
    try {
      return this.create(detectionsTopic(stream));
    } catch (error) {
      if (!(error instanceof RosInterfaceError)) throw error;
      if (!this.#saidMissing) this.#log.info({ reason: error.message }, 'detections are in the result messages only');
      this.#saidMissing = true;
      return undefined;
    }
  }
}
