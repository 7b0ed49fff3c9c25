import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

it('appends to nothing that it reads', async () => {
  const models = join(command.folder, 's.yaml');
  const text =
    'models:\n  m: {behaviour: echo, runtime: {fixed_ms: 1}, inputs: [{name: x, datatype: FP32, shape: [1]}], outputs: [{name: y, datatype: FP32, shape: [1]}]}\n';
  const { error, status } = await command.run(text, '--executions', models);
  expect(error).toBe(`vig serve-reference: --executions ${models}: is read by --models; name another file\n`);
  expect(status).toBe(2);
  expect(readFileSync(models, 'utf8')).toBe(text);
});
