import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { streamSchema } from '../../src/config/stream-schema.js';
import { InputWatch, type WatchedInput } from '../../src/ros/input-watch.js';
import { StreamInput } from '../../src/ros/stream-input.js';

function endpoint(reliability: number, node_namespace = '/'): object {
  return { node_name: 'camera', node_namespace, topic_type: 'sensor_msgs/msg/Image', qos_profile: { reliability, depth: 0 } };
}

function watched(stream: string, reliability: 'reliable' | 'best_effort'): WatchedInput {
  return { stream, topic: `/${stream}`, type: 'sensor_msgs/msg/Image', qos: { reliability, depth: 1 }, silent: () => false };
}

function look(endpoints: Readonly<Record<string, readonly unknown[]>>, inputs: readonly WatchedInput[]): Map<string, string | undefined> {
  const reports = new Map<string, string | undefined>();
  const node = { getPublishersInfoByTopic: (topic: string) => endpoints[topic] ?? [] };
  new InputWatch(node, (stream, problem) => reports.set(stream, problem)).look(inputs, false);
  return reports;
}

it('reports each input, a problem or its absence', () => {
  const endpoints = { '/front': [endpoint(2, '/robot')], '/rear': [endpoint(2)] };
  const reports = look(endpoints, [watched('front', 'reliable'), watched('rear', 'best_effort')]);
  expect(reports.get('front')).toContain('/robot/camera offers best effort, this stream requests reliable');
  expect([...reports]).toContainEqual(['rear', undefined]);
});

it('does not call a policy incompatible that it does not know', () => {
  expect([...look({ '/front': [endpoint(0)] }, [watched('front', 'reliable')])]).toEqual([['front', undefined]]);
});

it('passes over an endpoint that the binding describes otherwise', () => {
  expect([...look({ '/front': [{ surprise: true }, null] }, [watched('front', 'reliable')])]).toEqual([['front', undefined]]);
});

it('does not name a node that is not known yet', () => {
  const unknown = { ...endpoint(2, '_NODE_NAMESPACE_UNKNOWN_'), node_name: '_NODE_NAME_UNKNOWN_' };
  expect(look({ '/front': [unknown] }, [watched('front', 'reliable')]).get('front')).toMatch(/on \/front: a publisher offers best effort/);
});

describe('a stream on which nothing comes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Looks once a second, as the node does; `problems` are those of each look. */
  function bench() {
    const input = new StreamInput('front', streamSchema.parse({ topic: '/front', model: 'm', contract: { max_age_ms: 100 } }), {
      service: { receive: () => {}, refuse: () => {}, countLost: () => {} },
      rosNowNs: () => undefined,
      isActive: () => true,
      log: pino({ level: 'silent' }),
    });
    const problems: (string | undefined)[] = [];
    const state = { publishers: [endpoint(1)] };
    const watch = new InputWatch({ getPublishersInfoByTopic: () => state.publishers }, (_, problem) => problems.push(problem));
    return {
      input,
      state,
      lookFor: (seconds: number, clockStands: boolean) => {
        problems.length = 0;
        for (let second = 0; second < seconds; second += 1) {
          vi.advanceTimersByTime(1000);
          watch.look([input], clockStands);
        }
        return problems;
      },
    };
  }

  it('is reported once it has been silent for too long beside a publisher', () => {
    const { input, lookFor } = bench();
    expect(lookFor(10, false).at(-1)).toMatch(/^publishers but no data on \/front: \/camera offers reliable/);
    input.receive({});
    expect(lookFor(1, false)).toEqual([undefined]);
  });

  it('is as it should be while the clock stands, and for a while after it', () => {
    const { lookFor } = bench();
    expect(new Set(lookFor(60, true))).toEqual(new Set([undefined]));
    expect(lookFor(10, false)).toEqual([undefined, undefined, undefined, ...Array(7).fill(expect.stringContaining('no data'))]);
  });

  it('gives a publisher that is new a while', () => {
    const { state, lookFor } = bench();
    state.publishers = [];
    lookFor(60, false);
    state.publishers = [endpoint(1)];
    expect(lookFor(4, false)).toEqual([undefined, undefined, undefined, expect.stringContaining('no data')]);
  });
});
