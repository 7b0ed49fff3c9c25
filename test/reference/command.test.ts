import { expect, it } from 'vitest';
import { registerServeReference } from '../../src/cli/serve-reference.js';
import { commandRunner } from '../support/run-command.js';

const command = commandRunner('serve-reference', registerServeReference, '--models');

it('ends with status 2 and a line for each problem when the models are wrong', async () => {
  const { out, error, status } = await command.run('models:\n  a: {behaviour: echo, inputs: [], outputs: [], instances: 0}\n');
  expect(out).toBe('');
  expect(error).toMatch(
    /^\S+s\.yaml:2: models\.a\.instances is 0: expected a whole number from 1 to 64\n\S+s\.yaml:2: models\.a\.inputs: expected a list/,
  );
  expect(status).toBe(2);
});
