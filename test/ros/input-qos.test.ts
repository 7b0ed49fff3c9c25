import { describe, expect, it } from 'vitest';
import { type ExpectedInput, inputProblem, type PublisherEndpoint } from '../../src/ros/input-qos.js';

const IMAGE = 'sensor_msgs/msg/Image';

function expected(reliability: 'reliable' | 'best_effort'): ExpectedInput {
  return { topic: '/front/image_raw', type: IMAGE, qos: { reliability, depth: 1 } };
}

function publisher(given: Partial<PublisherEndpoint>): PublisherEndpoint {
  return { node: '/camera', type: IMAGE, reliability: 'best_effort', ...given };
}

describe('inputProblem', () => {
  it('finds nothing while messages come from a publisher that fits', () => {
    expect(inputProblem(expected('best_effort'), [publisher({ reliability: 'reliable' })], false)).toBeUndefined();
    expect(inputProblem(expected('reliable'), [publisher({ reliability: 'reliable' })], false)).toBeUndefined();
  });

  it('leaves silence without a publisher to others', () => {
    expect(inputProblem(expected('best_effort'), [], true)).toBeUndefined();
  });

  it('names both policies of an incompatible publisher, although another one on the topic fits', () => {
    const publishers = [publisher({ reliability: 'reliable' }), publisher({ node: '/old_camera' })];
    expect(inputProblem(expected('reliable'), publishers, false)).toBe(
      'incompatible QoS on /front/image_raw: /old_camera offers best effort, this stream requests reliable: set qos.preset to sensor_data, or publish reliable',
    );
  });

  it('names the type that is published instead', () => {
    const problem = inputProblem(expected('best_effort'), [publisher({ type: 'sensor_msgs/msg/CompressedImage' })], false);
    expect(problem).toContain(
      '/camera publishes sensor_msgs/msg/CompressedImage on /front/image_raw, this stream takes sensor_msgs/msg/Image',
    );
  });

  it('says when a publisher fits and yet nothing comes', () => {
    expect(inputProblem(expected('best_effort'), [publisher({})], true)).toBe(
      'publishers but no data on /front/image_raw: /camera offers best effort, this stream requests best effort',
    );
  });
});
