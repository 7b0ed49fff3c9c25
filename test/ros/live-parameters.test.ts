import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { parametersSchema } from '../../src/config/schema.js';
import { PARAMETER_TYPES } from '../../src/ros/binding.js';
import { acceptChanges } from '../../src/ros/live-parameters.js';
import { fakeBinding } from './fake-binding.js';

const PARAMETERS = parametersSchema.parse({
  backends: { gpu: { slots: 1 } },
  models: { detector: { backend: 'gpu', variants: { large: { backend_model: 'centerface' } } } },
  streams: { front: { topic: '/front', model: 'detector', contract: { max_age_ms: 100, extension: { approved_variants: ['large'] } } } },
});
const MAX_AGE = 'streams.front.contract.max_age_ms';

function bench(refused?: Error) {
  const { rcl, node, set } = fakeBinding();
  const changes: unknown[] = [];
  acceptChanges(rcl, node, PARAMETERS, (given) => {
    if (refused !== undefined) throw refused;
    changes.push(given);
  });
  const one = (name: string, type: keyof typeof PARAMETER_TYPES, value: unknown) => ({ name, type: PARAMETER_TYPES[type], value });
  return { set, changes, one };
}

it('takes a change, a whole number for a double too, and several as one', () => {
  const { set, changes, one } = bench();
  expect(set(one(MAX_AGE, 'integer', 80n))).toEqual({ successful: true, reason: '' });
  set(one(MAX_AGE, 'double', 90.5), one('streams.front.contract.extension.contract_version', 'integer', 3n));
  set(one('streams.front.contract.extension.approved_variants', 'string_array', ['large']));
  expect(changes).toEqual([
    [{ name: MAX_AGE, value: 80 }],
    [
      { name: MAX_AGE, value: 90.5 },
      { name: 'streams.front.contract.extension.contract_version', value: 3 },
    ],
    [{ name: 'streams.front.contract.extension.approved_variants', value: ['large'] }],
  ]);
});

it('answers a refusal with every reason, in the words of the configuration', () => {
  const problems = [
    { place: { source: 'change' }, key: MAX_AGE, value: '0', text: 'expected a number' },
    { key: 'streams.front.contract', text: 'no' },
  ];
  const { set, one } = bench(new ConfigurationError('invalid', problems));
  expect(set(one(MAX_AGE, 'double', 0))).toEqual({
    successful: false,
    reason: `${MAX_AGE} is 0: expected a number; streams.front.contract: no`,
  });
});

it('refuses to delete, and lets parameters of ROS alone', () => {
  const { set, changes, one } = bench();
  expect(set(one(MAX_AGE, 'not_set', undefined))).toMatchObject({ successful: false, reason: expect.stringContaining('deleted') });
  expect(set(one('use_sim_time', 'bool', true))).toEqual({ successful: true, reason: '' });
  expect(changes).toEqual([]);
});
