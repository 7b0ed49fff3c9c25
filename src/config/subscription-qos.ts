/** How a stream subscribes to its topic (design.md 3). */
import type { StreamParameters } from './schema.js';

export interface SubscriptionQos {
  readonly reliability: 'best_effort' | 'reliable';
  /** Keep last. */
  readonly depth: number;
}

/** Best effort for sensor streams, so that the middleware drops what is superseded; reliable where nothing may be dropped. */
export function subscriptionQos({ qos, queue }: Pick<StreamParameters, 'qos' | 'queue'>): SubscriptionQos {
  const automatic = queue.policy === 'never_drop' ? 'reliable' : 'best_effort';
  const reliability = { auto: automatic, sensor_data: 'best_effort', reliable: 'reliable' } as const;
  return { reliability: reliability[qos.preset], depth: qos.depth ?? queue.capacity };
}
