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

/** What the middleware says of a publisher whose node it has not learned of yet. */
const UNKNOWN_NODE = '_NODE_NAME_UNKNOWN_';

export interface WatchedInput extends ExpectedInput {
  readonly stream: string;
  /** Whether the stream has been without a message for longer than it may. @param sinceMs by `performance.now()`: what came before does not count */
  silent(sinceMs?: number): boolean;
}

export class InputWatch {
  readonly #node: Pick<RclNode, 'getPublishersInfoByTopic'>;
  readonly #report: (stream: string, problem: string | undefined) => void;
  /** Since when a message could have come: somebody publishes, and the clock runs. */
  readonly #expectedSinceMs = new Map<string, number>();

  constructor(node: Pick<RclNode, 'getPublishersInfoByTopic'>, report: (stream: string, problem: string | undefined) => void) {
    this.#node = node;
    this.#report = report;
  }

  /** @param clockStands whether nobody can expect a message: simulated time stands, or has not begun */
  look(inputs: Iterable<WatchedInput>, clockStands: boolean): void {
    for (const input of inputs) {
      const publishers = this.#publishers(input.topic);
      const sinceMs = this.#expectedSince(input.stream, publishers.length > 0 && !clockStands);
      this.#report(input.stream, inputProblem(input, publishers, sinceMs !== undefined && input.silent(sinceMs)));
    }
  }

  #expectedSince(stream: string, isExpected: boolean): number | undefined {
    if (!isExpected) this.#expectedSinceMs.delete(stream);
    else if (!this.#expectedSinceMs.has(stream)) this.#expectedSinceMs.set(stream, performance.now());
    return this.#expectedSinceMs.get(stream);
  }

  #publishers(topic: string): PublisherEndpoint[] {
    return this.#node.getPublishersInfoByTopic(topic, false).slice(0, MAX_PUBLISHERS).flatMap(readEndpoint);
  }
}

function readEndpoint(raw: unknown): PublisherEndpoint[] {
  const parsed = endpointSchema.safeParse(raw);
  if (!parsed.success) return [];
  const { node_name, node_namespace, topic_type, qos_profile } = parsed.data;
  const node = node_name === UNKNOWN_NODE ? 'a publisher' : `${node_namespace === '/' ? '' : node_namespace}/${node_name}`;
  return [{ node, type: topic_type, reliability: reliabilityOf(qos_profile.reliability) }];
}

function reliabilityOf(policy: number): PublisherEndpoint['reliability'] {
  if (policy === RELIABILITY.reliable) return 'reliable';
  return policy === RELIABILITY.best_effort ? 'best_effort' : 'unknown';
}
