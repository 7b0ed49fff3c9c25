import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MAX_CONNECTIONS, MetricsServer, type WhyNotReady } from '../../src/telemetry/metrics-server.js';

const PAGE = { contentType: 'text/plain', page: () => Promise.resolve('vig_up 1\n') };
const opened: (MetricsServer | Socket)[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await ('destroy' in one ? one.destroy() : one.close());
});

async function serve(whyNotReady?: WhyNotReady, page = PAGE) {
  const server = await MetricsServer.listen(page, '127.0.0.1', 0, whyNotReady);
  opened.push(server);
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [response.status, await response.text()];
  };
  return { server, get };
}

async function open(server: MetricsServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

describe('MetricsServer', () => {
  it('tells a supervisor whether the process can serve, and why not', async () => {
    let missing: string | undefined = 'gpu is not reachable';
    const { get } = await serve(() => missing);
    expect(await get('/readyz')).toEqual([503, 'gpu is not reachable\n']);
    expect(await get('/healthz')).toEqual([200, 'the event loop turns\n']);
    missing = undefined;
    expect(await get('/readyz?verbose')).toEqual([200, 'ready\n']);
    expect(await get('/readyz', 'HEAD')).toEqual([200, '']);
  });

  it('has no /readyz where nothing is to be ready', async () => {
    const { get } = await serve();
    expect(await get('/readyz')).toEqual([404, 'there are /metrics, /healthz\n']);
    expect(await get('/metrics')).toEqual([200, 'vig_up 1\n']);
  });

  it('refuses what is no question', async () => {
    const { get } = await serve();
    expect(await get('/metrics', 'DELETE')).toEqual([405, 'GET or HEAD\n']);
  });

  it('says so when the metrics cannot be read, and goes on', async () => {
    const { get } = await serve(undefined, { contentType: 'text/plain', page: () => Promise.reject(new Error('broken')) });
    expect(await get('/metrics')).toEqual([500, 'the metrics could not be read\n']);
    expect((await get('/healthz'))[0]).toBe(200);
  });

  it('has room for so many connections and no more, and closes those that ask nothing', async () => {
    const { server, get } = await serve();
    const sockets = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => open(server)));
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));
    const beyond = await open(server);
    await once(beyond.resume(), 'close');
    expect(sockets.filter((socket) => socket.closed)).toEqual([]);
    await Promise.all(closed);
    expect((await get('/healthz'))[0]).toBe(200);
  });

  it.each([
    ['127.0.0.1', 'EADDRINUSE', 'choose another metrics.port'],
    ['203.0.113.1', 'EADDRNOTAVAIL', 'metrics.host has to be an address of this machine'],
  ])('names what to change when it cannot listen on %s: %s', async (host, code, remedy) => {
    const { server } = await serve();
    const refused = MetricsServer.listen(PAGE, host, server.port);
    await expect(refused).rejects.toThrow(new RegExp(`metrics.port ${server.port}.*metrics.host ${host}.*${code}.*${remedy}`));
  });
});
