/** Listens to what a governor publishes about its frames and itself, as any node could. */
import { z } from 'zod';
import { STATES, type State } from '../core/catalogue.js';
import { DURABILITY, KEEP_LAST, type RclMessageInfo, type RclSubscription, RELIABILITY } from './binding.js';
import type { PlainNode } from './plain-node.js';

const count = z.bigint().transform(Number);
const stateCounts = Object.fromEntries(Object.keys(STATES).map((state) => [state, count])) as Record<State, typeof count>;
const stateName = z.string().refine((text): text is State => text in STATES);

const outcomeSchema = z.object({
  header: z.object({ stamp: z.object({ sec: z.number(), nanosec: z.number() }) }),
  stream: z.string(),
  state_text: stateName,
  cause_text: z.string(),
  age_us: count,
  service_us: count,
});

const statusSchema = z.object({
  ready: z.boolean(),
  streams: z.array(
    z.object({ stream: z.string(), received: count, waiting: count, in_flight: count, lost_before_node: count, ...stateCounts }),
  ),
  backends: z.array(z.object({ in_flight: count })),
});

export type WatchedOutcome = z.output<typeof outcomeSchema>;
export type WatchedStatus = z.output<typeof statusSchema>;

export interface WatchListener {
  /** @param publishedUs when it was published, by the system clock */
  outcome(outcome: WatchedOutcome, publishedUs: number): void;
  status(status: WatchedStatus): void;
  /** A message that is not what its type promises. */
  problem(error: unknown): void;
}

/** Outcomes kept while the listener is busy: seconds of two cameras. */
const OUTCOMES_DEPTH = 1000;
const STATUS_DEPTH = 10;

/**
 * @param governor full name of the node
 * @returns a function that ends the listening; not to be called within the listener
 */
export function watchGovernor({ rcl, node }: PlainNode, governor: string, listener: WatchListener): () => void {
  const subscribe = <S extends z.ZodType>(
    type: string,
    topic: string,
    depth: number,
    schema: S,
    hear: (message: z.output<S>, info: RclMessageInfo) => void,
  ) => {
    const qos = new rcl.QoS(KEEP_LAST, depth, RELIABILITY.reliable, DURABILITY.volatile);
    // An exception in a callback of the binding would end the process.
    const guarded = (message: unknown, info: RclMessageInfo): void => {
      try {
        hear(schema.parse(message), info);
      } catch (error) {
        listener.problem(error);
      }
    };
    return node.createSubscription(`vigilant_governor/msg/${type}`, `${governor}/${topic}`, { qos }, guarded);
  };
  const subscriptions: readonly RclSubscription[] = [
    subscribe('Outcome', 'outcomes', OUTCOMES_DEPTH, outcomeSchema, (outcome, { sourceTimestamp }) =>
      listener.outcome(outcome, Number(sourceTimestamp / 1000n)),
    ),
    subscribe('GovernorStatus', 'status', STATUS_DEPTH, statusSchema, (status) => listener.status(status)),
  ];
  return () => {
    for (const subscription of subscriptions) node.destroySubscription(subscription);
  };
}
