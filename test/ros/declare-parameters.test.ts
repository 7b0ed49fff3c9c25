import { expect, it } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { declareParameters } from '../../src/ros/declare-parameters.js';
import { fakeBinding } from './fake-binding.js';

const PARAMETERS = parametersSchema.parse({
  backends: { gpu: { slots: 3, no_corun: [] } },
  models: { detector: { backend: 'gpu', variants: { large: { backend_model: 'centerface' } } } },
  streams: { front: { topic: '/front', model: 'detector', contract: { max_age_ms: 100 } } },
});

function declared(name: string): { type: number | undefined; value: unknown; message: object | undefined } {
  const { rcl, node, parameters, descriptors } = fakeBinding();
  declareParameters(rcl, node, PARAMETERS);
  const parameter = parameters.find((one) => one.name === name);
  return { type: parameter?.type, value: parameter?.value, message: descriptors.find((one) => one.name === name)?.toMessage() };
}

it('declares each parameter with its type, its range in the message of the descriptor, and read-only but for contracts', () => {
  expect(declared('backends.gpu.slots')).toMatchObject({
    type: 2,
    value: 3,
    message: { read_only: true, integer_range: [{ from_value: 1n, to_value: 256n, step: 0n }] },
  });
  expect(declared('streams.front.contract.max_age_ms')).toMatchObject({
    type: 3,
    value: 100,
    message: { read_only: false, floating_point_range: [{ from_value: 0.001, to_value: 3_600_000, step: 0 }] },
  });
});

it('knows texts, truth values and lists, which have no range', () => {
  expect(declared('streams.front.topic')).toMatchObject({ type: 4, value: '/front' });
  expect(declared('autostart')).toMatchObject({ type: 1, value: true });
  expect(declared('backends.gpu.no_corun')).toMatchObject({ type: 9, value: [] });
  expect(declared('streams.front.class').message).toMatchObject({ additional_constraints: expect.stringContaining('protected') });
  expect(declared('autostart').message).not.toHaveProperty('integer_range');
});
