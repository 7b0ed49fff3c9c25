import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { registerSimulate } from '../../src/cli/simulate.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { commandRunner } from '../support/run-command.js';
import { TWO_STREAMS } from './scenarios.js';

const command = commandRunner('simulate', registerSimulate);

it('prints what the file asks for, as its options change it, and draws', async () => {
  const plot = join(command.folder, 'plot.svg');
  const options = ['--json', '--seeds', '0x7', '--policies', 'fifo-2', '--loads', '1200', '--plot', plot];
  const { out, status } = await command.run(TWO_STREAMS, ...options);
  const report: unknown = JSON.parse(out);
  expect(report).toMatchObject({ scenario: 'two', runs: [{ load_permille: 1200, policy: 'fifo-2', seeds: 1 }] });
  expect(status).toBeUndefined();
  expect(readFileSync(plot, 'utf8')).toMatch(/^<svg /);
});

it('records what the core runs again to the same actions', async () => {
  const trace = join(command.folder, 'run.trace');
  const { status } = await command.run(TWO_STREAMS, '--seeds', '1', '--loads', '1100', '--policies', 'fifo-1,governor', '--trace', trace);
  expect(status).toBeUndefined();
  const { events, difference } = await verifyTrace(trace);
  expect(difference).toBeUndefined();
  expect(events).toBeGreaterThan(100);
});

it('writes over nothing that it reads', async () => {
  const scenario = join(command.folder, 's.yaml');
  for (const option of ['--plot', '--trace']) {
    const { error, out, status } = await command.run(TWO_STREAMS, option, scenario);
    expect({ out, status }).toEqual({ out: '', status: 2 });
    expect(error).toContain(`vig simulate: ${option} ${scenario}: is the scenario; name another file\n`);
  }
  expect(readFileSync(scenario, 'utf8')).toBe(TWO_STREAMS);
});

it('prints a table without --json', async () => {
  const { out } = await command.run(TWO_STREAMS, '--seeds', '1', '--loads', '900', '--policies', 'governor');
  expect(out).toContain('load 900 ‰, median of 1 seed\n');
});

it('ends with status 2 and a line for each problem when the file is wrong', async () => {
  const { out, error, status } = await command.run(TWO_STREAMS.replace('p50_ms: 70', 'p50_ms: 0'));
  expect(out).toBe('');
  expect(error).toMatch(/s\.yaml:20: streams\.text\.variants\.full\.p50_ms is 0: expected a number from 0\.001/);
  expect(status).toBe(2);
});

it('ends with status 2 when a policy of the command line is none', async () => {
  const { error, status } = await command.run(TWO_STREAMS, '--policies', 'govenor');
  expect(error).toBe('vig simulate: --policies: "govenor" is no policy; did you mean governor?\n');
  expect(status).toBe(2);
});

it('ends with status 2 when something stands twice on the command line', async () => {
  const { error, status } = await command.run(TWO_STREAMS, '--policies', 'latest,fifo-0,latest');
  expect(error).toBe(
    'vig simulate: --policies: "fifo-0" is no policy; the N of fifo-N is a number from 1 to 9999, for instance fifo-1\n' +
      'vig simulate: --policies: "latest" stands twice; name each policy once\n',
  );
  expect(status).toBe(2);
});

it.each([
  ['--loads', '1000,1000', '"1000" stands twice; give each number once'],
  ['--seeds', '7,0x7', '"0x7" stands twice; give each number once'],
  ['--loads', '0', '"0": expected whole numbers from 1 to 100000, with commas'],
])('refuses %s %s', async (option, value, said) => {
  await expect(command.run(TWO_STREAMS, option, value)).rejects.toThrow(said);
});

it('says which command takes a file of another kind', async () => {
  const { error, status } = await command.run('events: []\n');
  const file = join(command.folder, 's.yaml');
  expect(error).toBe(`${file}: is a decision script, not a scenario; it is used by: vig decide ${file}\n`);
  expect(status).toBe(2);
});
