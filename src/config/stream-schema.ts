/** `streams.<name>`: one topic, one contract, one logical model. */
import { z } from 'zod';
import { CLASSES, OVERFLOW_POLICIES, QUEUE_POLICIES } from '../core/configuration.js';
import { contractSchema } from './contract-schema.js';
import { field, MAX_DURATION_MS, real, whole } from './field.js';

/** Message types a stream can take. */
export const STREAM_TYPES = ['sensor_msgs/msg/Image', 'sensor_msgs/msg/Imu', 'std_msgs/msg/Float32MultiArray'] as const;

const DEFAULT_CAPACITY = 10;
/** The largest constant offset of a clock that can be corrected. */
export const MAX_OFFSET_MS = 86_400_000;

const queueSchema = z
  .strictObject({
    policy: field(z.enum(QUEUE_POLICIES).default('latest'), {
      description:
        'latest: the newest capture wins; fifo: in order, age still drops; never_drop: in order, nothing accepted is dropped by age.',
    }),
    capacity: field(z.exactOptional(whole(1, 1000)), {
      description: 'Requests that may wait.',
      whenAbsent: `1 for latest, else ${DEFAULT_CAPACITY}`,
      sample: 1,
    }),
    overflow: field(z.enum(OVERFLOW_POLICIES).default('reject_new'), {
      description: 'Which request a full fifo refuses. reject_oldest: only with policy fifo and class best_effort or normal.',
    }),
  })
  .transform((queue) => ({ ...queue, capacity: queue.capacity ?? (queue.policy === 'latest' ? 1 : DEFAULT_CAPACITY) }));

const qosSchema = z.strictObject({
  preset: field(z.enum(['auto', 'sensor_data', 'reliable']).default('auto'), {
    description: 'auto: best effort for latest and fifo, reliable for never_drop; sensor_data: best effort; reliable: reliable.',
  }),
  depth: field(z.exactOptional(whole(1, 1000)), {
    description: 'History depth of the subscription (keep last).',
    whenAbsent: 'queue.capacity',
    sample: 1,
  }),
});

export const streamSchema = z.strictObject({
  topic: field(
    z
      .string()
      .max(256)
      .regex(/^(\/|~\/)?[A-Za-z_][A-Za-z0-9_]*(\/[A-Za-z_][A-Za-z0-9_]*)*$/),
    {
      description: 'Topic to subscribe to; relative names are resolved as ROS does.',
      expects: 'a ROS topic name, for instance /front/image_raw',
      sample: '/front/image_raw',
    },
  ),
  type: field(z.enum(STREAM_TYPES).default('sensor_msgs/msg/Image'), { description: 'Type of the messages on the topic.' }),
  model: field(z.string(), { description: 'Name of the model that looks at them.', expects: 'the name of a model', sample: 'detector' }),
  class: field(z.enum(CLASSES).default('normal'), { description: 'Criticality, weakest first: the stronger class is served first.' }),
  queue: queueSchema.prefault({}),
  contract: contractSchema,
  stamp_source: field(z.enum(['header', 'receive']).default('header'), {
    description: 'Where the capture time comes from: the header of the message, or the moment of its reception.',
  }),
  stamp_offset_ms: field(real(-MAX_OFFSET_MS, MAX_OFFSET_MS).default(0), {
    description: 'Added to the capture time, for a clock with a known constant offset.',
    unit: 'ms',
  }),
  future_tolerance_ms: field(real(0, MAX_DURATION_MS).default(50), {
    description: 'How far in the future a stamp may lie; beyond, the message is invalid.',
    unit: 'ms',
  }),
  qos: qosSchema.prefault({}),
  publish_obsolete: field(z.boolean().default(false), {
    description: 'Whether results older than max_age_ms are published on the decoded topic too. The result topic always has them, flagged.',
  }),
  max_message_bytes: field(whole(1, 1_073_741_824).default(67_108_864), {
    description: 'Larger messages are invalid.',
    unit: 'bytes',
  }),
});
