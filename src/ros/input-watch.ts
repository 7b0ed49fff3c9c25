/** Looks at the publishers of each input once a second: an incompatible one is silent, it has to be looked for. */
import { z } from 'zod';
import type { RclNode } from './binding.js';
import { RELIABILITY } from './binding.js';
import { type ExpectedInput, inputProblem, type PublisherEndpoint } from './input-qos.js';

const endpointSchema = z.object({
  node_name: z.string(),
  node_namespace: z.string(),
  topic_type: z.string(),
  qos_profile: z.object({ reliability: z.number() }),
});

/** Publishers looked at for one input; more on one topic is a mistake of its own. */
const MAX_PUBLISHERS = 32;

export interface WatchedInput extends ExpectedInput {
  readonly stream: string;
  /** Whether the stream has been without a message for longer than it may. */
  silent(): boolean;
}

export class InputWatch {
  readonly #node: Pick<RclNode, 'getPublishersInfoByTopic'>;
  readonly #report: (stream: string, problem: string | undefined) => void;

  constructor(node: Pick<RclNode, 'getPublishersInfoByTopic'>, report: (stream: string, problem: string | undefined) => void) {
    this.#node = node;
    this.#report = report;
  }

  look(inputs: Iterable<WatchedInput>): void {
    for (const input of inputs) this.#report(input.stream, inputProblem(input, this.#publishers(input.topic), input.silent()));
  }

  #publishers(topic: string): PublisherEndpoint[] {
    return this.#node.getPublishersInfoByTopic(topic, false).slice(0, MAX_PUBLISHERS).flatMap(readEndpoint);
  }
}

function readEndpoint(raw: unknown): PublisherEndpoint[] {
  const parsed = endpointSchema.safeParse(raw);
  if (!parsed.success) return [];
  const { node_name, node_namespace, topic_type, qos_profile } = parsed.data;
  const node = `${node_namespace === '/' ? '' : node_namespace}/${node_name}`;
  return [{ node, type: topic_type, reliability: reliabilityOf(qos_profile.reliability) }];
}

function reliabilityOf(policy: number): PublisherEndpoint['reliability'] {
  if (policy === RELIABILITY.reliable) return 'reliable';
  return policy === RELIABILITY.best_effort ? 'best_effort' : 'unknown';
}
