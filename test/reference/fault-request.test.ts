import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseFault } from '../../src/reference/fault-request.js';
import { control } from '../support/faults.js';
import { startServer } from './reference-harness.js';

const FAULTS = 'hang, error, disconnect, readiness, counters, slow_load, restart, crash, reset, go_away';

test.each([
  ['no JSON', '{', 'expected a JSON object, such as {"fault": "hang"}'],
  ['no object', '[]', 'expected a JSON object, such as {"fault": "hang"}'],
  ['no fault', {}, `fault: is missing; expected one of ${FAULTS}`],
  ['another fault', { fault: 'fire' }, `fault is "fire": no such fault; expected one of ${FAULTS}`],
  ['a misspelt fault', { fault: 'hnag' }, 'fault is "hnag": no such fault; did you mean hang?'],
  ['an unknown key', { fault: 'hang', modle: 'echo' }, 'modle is "echo": no such key; did you mean model?'],
  ['an unknown model', { fault: 'hang', model: 'ehco' }, 'model is "ehco": no such model; expected one of echo, slow'],
  ['another instant', { fault: 'hang', at: 'once' }, 'at is "once": expected one of arrival, execution, answer'],
  ['no call', { fault: 'hang', count: 0 }, 'count is 0: expected a whole number from 1 to 1000000'],
  ['no failure', { fault: 'error', code: 'OK' }, 'code is "OK": expected the name of a gRPC status, such as UNAVAILABLE'],
  ['nothing said of readiness', { fault: 'readiness' }, 'ready: is missing; expected true or false'],
  ['a negative time', { fault: 'restart', down_ms: -1 }, 'down_ms is -1: expected a number from 0 to 600000 (ms)'],
])('%s is refused in our words', async (_, command, error) => {
  const { server } = await startServer();
  expect(await control(server.metricsPort, 'POST', '/faults', command)).toEqual({ status: 400, body: { error } });
  expect(await control(server.metricsPort, 'GET', '/faults')).toEqual({ status: 200, body: { faults: [] } });
});

test('what stands is told with its number; it is cleared by it, or with all', async () => {
  const { server } = await startServer();
  const hang = { id: 1, fault: 'hang', at: 'execution', hits: 0 };
  expect(await control(server.metricsPort, 'POST', '/faults', { fault: 'hang' })).toEqual({ status: 201, body: hang });
  await control(server.metricsPort, 'POST', '/faults', { fault: 'counters' });
  expect(await control(server.metricsPort, 'GET', '/faults')).toEqual({
    status: 200,
    body: { faults: [hang, { id: 2, fault: 'counters', hits: 0 }] },
  });
  expect(await control(server.metricsPort, 'DELETE', '/faults/1')).toEqual({ status: 200, body: { cleared: 1 } });
  expect(await control(server.metricsPort, 'DELETE', '/faults/1')).toEqual({ status: 404, body: { error: 'fault 1 does not stand' } });
  expect(await control(server.metricsPort, 'DELETE', '/faults')).toEqual({ status: 200, body: { cleared: 1 } });
});

test('a web page cannot command: what is not JSON is refused, and so is what is too long', async () => {
  const { server } = await startServer();
  const post = (type: string, body: string) =>
    fetch(`http://127.0.0.1:${server.metricsPort}/faults`, { method: 'POST', headers: { 'content-type': type }, body });
  expect((await post('text/plain', '{"fault":"reset"}')).status).toBe(415);
  expect((await post('application/json', ' '.repeat(70_000))).status).toBe(413);
});

test('another path is named for what there is', async () => {
  const { server } = await startServer();
  expect(await control(server.metricsPort, 'GET', '/')).toMatchObject({ status: 404, body: { error: expect.stringContaining('/faults') } });
});

test('there is a limit on the faults that stand', async () => {
  const { server } = await startServer();
  for (let count = 0; count < 256; count += 1) await control(server.metricsPort, 'POST', '/faults', { fault: 'counters' });
  expect(await control(server.metricsPort, 'POST', '/faults', { fault: 'counters' })).toEqual({
    status: 429,
    body: { error: '256 faults stand; clear some first' },
  });
});

test('the commands of the documentation are understood', () => {
  const commands = [...readFileSync('docs/reference-server.md', 'utf8').matchAll(/-d '(\{.*?\})'/g)].map(([, command = '']) => command);
  expect(commands.map((command) => parseFault(command, ['detector']).fault)).toEqual(['hang', 'error', 'restart']);
});
