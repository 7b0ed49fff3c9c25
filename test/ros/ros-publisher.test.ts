import { MessageReader } from '@foxglove/rosmsg2-serialization';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { requestId } from '../../src/core/units.js';
import type { OutcomeRecord, ResultRecord } from '../../src/governor/ports.js';
import { readDefinitions } from '../../src/ros/interface-definitions.js';
import { RosPublisher } from '../../src/ros/ros-publisher.js';
import { type FakeBinding, fakeBinding } from './fake-binding.js';
import { installInterfaces } from './interfaces.js';

const STREAM = { model: 'detector', contract: { max_age_ms: 100 } };
const PARAMETERS = parametersSchema.parse({
  backends: { gpu: { slots: 1 } },
  models: {
    detector: { backend: 'gpu', variants: { large: { backend_model: 'centerface' } }, output: { decoder: 'centerface' } },
    plain: { backend: 'gpu', variants: { large: { backend_model: 'echo' } } },
  },
  streams: {
    front: { ...STREAM, topic: '/front' },
    late: { ...STREAM, topic: '/late', publish_obsolete: true },
    imu: { ...STREAM, topic: '/imu', model: 'plain' },
  },
});

const RESULT: ResultRecord = {
  header: { stamp: { sec: 1, nanosec: 2 }, frameId: 'front' },
  stream: 'front',
  request: requestId(3),
  model: 'detector',
  variant: 'large',
  modelVersion: '1',
  obsolete: false,
  deadlineMissed: false,
  ageUs: 10,
  waitingUs: 2,
  serviceUs: 8,
  outputs: [],
  detections: [],
};

const OUTCOME: OutcomeRecord = {
  header: RESULT.header,
  stream: 'front',
  request: requestId(4),
  state: 'cancelled',
  cause: 'inactive',
  deadlineMissed: false,
  detail: '',
};

interface Bench extends FakeBinding {
  readonly publisher: RosPublisher;
  readonly log: string[];
  sent(topic: string): number;
}

function bench(without: readonly string[] = []): Bench {
  const binding = fakeBinding();
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(line) });
  const publisher = new RosPublisher(binding.rcl, binding.node, PARAMETERS, [installInterfaces(without)], logger);
  return { ...binding, publisher, log, sent: (topic) => binding.topics.get(topic)?.sent.length ?? -1 };
}

describe('RosPublisher', () => {
  it('has a result topic for each stream, one for outcomes, and detections where there is a decoder', () => {
    const { topics } = bench();
    expect([...topics].map(([name, topic]) => [name, topic.type]).sort()).toEqual([
      ['~/front/detections', 'vision_msgs/msg/Detection2DArray'],
      ['~/front/result', 'vigilant_governor/msg/InferenceResult'],
      ['~/imu/result', 'vigilant_governor/msg/InferenceResult'],
      ['~/late/detections', 'vision_msgs/msg/Detection2DArray'],
      ['~/late/result', 'vigilant_governor/msg/InferenceResult'],
      ['~/outcomes', 'vigilant_governor/msg/Outcome'],
    ]);
  });

  it('publishes reliable: outcomes keep the last 100, results 10', () => {
    const { topics } = bench();
    expect(topics.get('~/outcomes')?.qos).toMatchObject({ history: 1, depth: 100, reliability: 1, durability: 2 });
    expect(topics.get('~/front/result')?.qos).toMatchObject({ history: 1, depth: 10, reliability: 1, durability: 2 });
  });

  it('publishes an outcome as bytes of its message', () => {
    const { publisher, topics } = bench();
    publisher.outcome(OUTCOME);
    const definitions = readDefinitions('vigilant_governor/msg/Outcome', [installInterfaces()]);
    const [bytes] = topics.get('~/outcomes')?.sent ?? [];
    expect(new MessageReader(definitions).readMessage(bytes ?? Buffer.alloc(0))).toMatchObject({ request_id: 4n, cause_text: 'inactive' });
  });

  it('publishes an obsolete result on the result topic, and decoded only where that is asked for', () => {
    const { publisher, sent } = bench();
    publisher.result(RESULT);
    publisher.result({ ...RESULT, obsolete: true });
    publisher.result({ ...RESULT, stream: 'late', obsolete: true });
    expect([sent('~/front/result'), sent('~/front/detections')]).toEqual([2, 1]);
    expect([sent('~/late/result'), sent('~/late/detections')]).toEqual([1, 1]);
  });

  it('does not serialise results that nobody wants; outcomes always go out', () => {
    const { publisher, topics, sent } = bench();
    for (const topic of topics.values()) topic.subscriptionCount = 0;
    publisher.result(RESULT);
    publisher.outcome(OUTCOME);
    expect([sent('~/front/result'), sent('~/front/detections'), sent('~/outcomes')]).toEqual([0, 0, 1]);
  });

  it('does without vision_msgs, and says so once', () => {
    const { topics, log, publisher, sent } = bench(['vision_msgs']);
    expect([...topics.keys()].filter((name) => name.endsWith('detections'))).toEqual([]);
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('install the package vision_msgs');
    publisher.result(RESULT);
    expect(sent('~/front/result')).toBe(1);
  });

  it('cannot be made where our own messages are not installed', () => {
    expect(() => bench(['std_msgs'])).toThrow(/message type std_msgs\/msg\/Header is not installed/);
  });

  it('lets no failure of the middleware out', () => {
    const { publisher, topics, log } = bench();
    for (const topic of topics.values()) topic.fails = true;
    publisher.outcome(OUTCOME);
    publisher.result(RESULT);
    expect(log).toHaveLength(2);
  });
});
