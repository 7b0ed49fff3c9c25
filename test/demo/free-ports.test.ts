import { Server } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { freePorts } from '../../src/demo/free-ports.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const areListening = (servers: readonly unknown[]) => servers.map((server) => server instanceof Server && server.listening);

it('finds so many different ones, and holds none of them', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  expect(new Set(await freePorts(3)).size).toBe(3);
  expect(areListening(listen.mock.contexts)).toEqual([false, false, false]);
});

it('holds none either when there are not enough', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  listen.mockImplementationOnce(function (this: Server) {
    process.nextTick(() => this.emit('error', new Error('too many open files')));
    return this;
  });
  await expect(freePorts(3)).rejects.toThrow('too many open files');
  expect(areListening(listen.mock.contexts)).toEqual([false, false, false]);
});
