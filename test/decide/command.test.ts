import { expect, it } from 'vitest';
import { registerDecide } from '../../src/cli/decide.js';
import { commandRunner } from '../support/run-command.js';

const SCRIPT = `backend: {slots: 1}
streams: {a: {contract: {max_age_ms: 100}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 10}}}}
events:
  - {at_ms: 0, arrive: a, id: one, runtime_ms: 10}
expect:
  - {at_ms: 10, outcome: one, state: delivered}
`;

const command = commandRunner('decide', registerDecide);

it('prints one object a line, the summary last', async () => {
  const { out, error, status } = await command.run(SCRIPT, '--json');
  const lines: unknown[] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ action: 'dispatch' }, { action: 'outcome' }, { action: 'summary', received: 1, differences: [] }]);
  expect(error).toBe('');
  expect(status).toBeUndefined();
});

it('prints a listing without --json', async () => {
  const { out } = await command.run(SCRIPT);
  expect(out).toContain('10  one      outcome   delivered/delivered');
});

it('ends with status 1 and a line for each difference', async () => {
  const { out, error, status } = await command.run(SCRIPT.replace('at_ms: 10,', 'at_ms: 11,'), '--json');
  expect(error).toMatch(
    /s\.yaml:6: expected \{at_ms: 11, outcome: one, state: delivered\}; there is 0 dispatch only, 10 outcome delivered\/delivered\n$/,
  );
  expect(out).toContain('"differences":["');
  expect(status).toBe(1);
});

it('ends with status 2 and a line for each problem when the script is wrong', async () => {
  const { out, error, status } = await command.run(SCRIPT.replace('arrive: a', 'arrive: b'));
  expect(out).toBe('');
  expect(error).toMatch(/s\.yaml:4: events\[0\]\.arrive is "b": there is no stream of this name; did you mean a\?\n$/);
  expect(status).toBe(2);
});
