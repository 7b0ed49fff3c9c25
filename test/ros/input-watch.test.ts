import { expect, it } from 'vitest';
import { InputWatch, type WatchedInput } from '../../src/ros/input-watch.js';

function endpoint(reliability: number, node_namespace = '/'): object {
  return { node_name: 'camera', node_namespace, topic_type: 'sensor_msgs/msg/Image', qos_profile: { reliability, depth: 0 } };
}

function watched(stream: string, reliability: 'reliable' | 'best_effort'): WatchedInput {
  return { stream, topic: `/${stream}`, type: 'sensor_msgs/msg/Image', qos: { reliability, depth: 1 }, silent: () => false };
}

function look(endpoints: Readonly<Record<string, readonly unknown[]>>, inputs: readonly WatchedInput[]): Map<string, string | undefined> {
  const reports = new Map<string, string | undefined>();
  const node = { getPublishersInfoByTopic: (topic: string) => endpoints[topic] ?? [] };
  new InputWatch(node, (stream, problem) => reports.set(stream, problem)).look(inputs);
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
