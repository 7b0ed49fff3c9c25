/** `streams.<name>`: one topic, one contract, one logical model. */
import { z } from 'zod';
import { CLASSES, OVERFLOW_POLICIES, QUEUE_POLICIES } from '../core/configuration.js';
import { duration, field, MAX_DURATION_MS, real, whole } from './field.js';

/** Message types a stream can take. */
export const STREAM_TYPES = ['sensor_msgs/msg/Image', 'sensor_msgs/msg/Imu', 'std_msgs/msg/Float32MultiArray'] as const;

const DEFAULT_CAPACITY = 10;
const MAX_OFFSET_MS = 86_400_000;

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

const extensionSchema = z.strictObject({
  version: field(whole(1, 1).default(1), { description: 'Version of this block.' }),
  release_jitter_ms: field(real(0, MAX_DURATION_MS).default(0), {
    description: 'How far captures lie from their regular instants, either way. A guarded frame is expected for twice as long when late.',
    unit: 'ms',
  }),
  approved_variants: field(z.exactOptional(z.array(z.string()).max(64)), {
    description: 'Variants that may be used for the stream, whatever the pressure.',
    expects: 'a list of names of variants of the model',
    whenAbsent: 'all of its model',
    sample: ['full'],
  }),
});

const contractSchema = z
  .strictObject({
    period_ms: field(z.exactOptional(duration()), {
      description: 'Expected distance of captures.',
      unit: 'ms',
      whenAbsent: 'no forecast of the next frame',
      sample: 33.3,
    }),
    deadline_ms: field(z.exactOptional(duration()), {
      description: 'Age, counted from capture, after which a result counts as a missed deadline. Never a reason to drop work.',
      unit: 'ms',
      whenAbsent: 'max_age_ms',
      sample: 66.0,
    }),
    max_age_ms: field(duration(), {
      description: 'Age, counted from capture, up to which a result is fresh. Work that cannot be fresh when finished is not started.',
      unit: 'ms',
      sample: 100.0,
    }),
    min_quality: field(real(0, 1).default(0), { description: 'Variants of a lower quality are never used for the stream.' }),
    variant_dwell_ms: field(real(0, MAX_DURATION_MS).default(100), {
      description: 'Time after a change of variant before a better one is taken again. A faster one is taken at once.',
      unit: 'ms',
    }),
    extension: extensionSchema.prefault({}),
  })
  .transform((contract) => ({ ...contract, deadline_ms: contract.deadline_ms ?? contract.max_age_ms }));

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
