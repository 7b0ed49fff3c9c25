/** Against HTTP/2 servers that end calls in every way: what the client library makes of it, and what that proves. */
import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { classifyEnd } from '../../src/triton/call-end.js';
import { Connection, type InferAnswer } from '../../src/triton/connection.js';
import type { ModelInferResponse } from '../../src/triton/generated/inference/ModelInferResponse.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { INSECURE } from '../../src/triton/tls.js';

const SOON = { timeout: 5000, interval: 5 };
/** grpc-js tries again after a second, give or take a fifth. */
const LIBRARY_PAUSE_MS = 1500;
const RECEIVE_LIMIT_BYTES = 1000;
const GRPC = { ':status': 200, 'content-type': 'application/grpc' };

interface Opened {
  readonly connection: Connection;
  readonly server: Http2Server;
  readonly losses: string[];
}

async function open(answer: (stream: ServerHttp2Stream, breakAll: () => void) => void): Promise<Opened> {
  const server = createServer();
  const sockets = new Set<Socket>();
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.on('connection', (socket) => sockets.add(socket));
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    answer(stream, breakAll);
  });
  const port = await listen(server);
  const losses: string[] = [];
  let ready = false;
  const connection = new Connection(
    { endpoint: `127.0.0.1:${port}`, security: INSECURE, receiveLimitBytes: RECEIVE_LIMIT_BYTES, connectTimeoutMs: 5000 },
    {
      ready: () => {
        ready = true;
      },
      lost: (reason) => void losses.push(reason),
    },
  );
  onTestFinished(() => {
    connection.close();
    server.close();
    breakAll();
  });
  await vi.waitFor(() => expect(ready).toBe(true), SOON);
  return { connection, server, losses };
}

function listen(server: Http2Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address !== null && typeof address !== 'string') resolve(address.port);
    });
  });
}

function respond(stream: ServerHttp2Stream, response: ModelInferResponse): void {
  const body = loadProtocol().service.ModelInfer.responseSerialize(response);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(body.length, 1);
  stream.respond(GRPC, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([frame, body]));
}

const proofOf = (answer: InferAnswer) => (answer.kind === 'end' ? classifyEnd(answer.end, { model: 'm', id: '' }) : answer);

describe('a call', () => {
  test('brings its response back', async () => {
    const { connection } = await open((stream) => respond(stream, { model_name: 'm', model_version: '3' }));
    expect(await connection.infer({ model_name: 'm' })).toMatchObject({ kind: 'response', response: { model_version: '3' } });
    expect(connection.openCalls).toBe(0);
  });

  test('that is answered with an error has an error of the model', async () => {
    const { connection } = await open((stream) =>
      stream.respond({ ...GRPC, 'grpc-status': '13', 'grpc-message': 'out of paper' }, { endStream: true }),
    );
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'failed', cause: 'model_error', detail: 'INTERNAL: out of paper' });
  });

  test.each([500, 502, 404, 403])('that a gateway answers with HTTP status %i has an unknown fate', async (code) => {
    for (const headers of [{ 'content-type': 'text/html' }, GRPC]) {
      const { connection } = await open((stream) => stream.respond({ ...headers, ':status': code }, { endStream: true }));
      expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'unknown' });
    }
  });

  test('whose answer is longer than the receive limit is answered', async () => {
    const { connection } = await open((stream) => respond(stream, { raw_output_contents: [Buffer.alloc(2 * RECEIVE_LIMIT_BYTES)] }));
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'failed', cause: 'response_too_large' });
    expect(connection.state).toBe('ready');
  });

  test('that the server resets has an unknown fate', async () => {
    for (const code of [constants.NGHTTP2_ENHANCE_YOUR_CALM, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_CANCEL]) {
      const { connection } = await open((stream) => stream.close(code));
      expect(proofOf(await connection.infer({})), `code ${code}`).toMatchObject({ result: 'unknown' });
    }
  });

  test('that the server refuses to process was never started', async () => {
    const { connection } = await open((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'not_started' });
  });

  test('on a connection that is told to calm down has an unknown fate, and the connection is lost', async () => {
    const { connection, losses } = await open((stream) => {
      const { session } = stream;
      stream.respond(GRPC);
      session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
      session?.destroy();
    });
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'unknown' });
    await vi.waitFor(() => expect(losses).toHaveLength(1), SOON);
  });

  test('whose socket breaks has an unknown fate; the connection is lost for good', async () => {
    const { connection, server, losses } = await open((_stream, breakAll) => breakAll());
    const sockets = vi.fn();
    server.on('connection', sockets);
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'unknown' });
    await vi.waitFor(() => expect(losses).toHaveLength(1), SOON);
    expect(connection.state).toBe('closed');
    expect(await connection.infer({})).toEqual({ kind: 'not_sent' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sockets).not.toHaveBeenCalled(); // it does not reconnect by itself
  });

  test('whose answer is not what the protocol says is answered, and cannot be read', async () => {
    const { connection } = await open((stream) => {
      stream.respond(GRPC, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 1, 0x0f])); // wire type 7 does not exist
    });
    expect(proofOf(await connection.infer({}))).toMatchObject({ result: 'failed', cause: 'bad_output' });
  });
});

describe('a connection', () => {
  test('that is retired lets its call end and takes no other', async () => {
    let answer: (() => void) | undefined;
    const { connection, losses } = await open((stream) => {
      answer = () => respond(stream, { model_version: '1' });
    });
    const running = connection.infer({});
    await vi.waitFor(() => expect(answer).toBeDefined(), SOON); // the request is at the server
    expect(connection.openCalls).toBe(1);
    connection.retire();
    expect(await connection.infer({})).toEqual({ kind: 'not_sent' });
    answer?.();
    expect(await running).toMatchObject({ kind: 'response' });
    expect(losses).toEqual([]);
  });

  test('that is closed gives its call up', async () => {
    const { connection, losses } = await open(() => {});
    const running = connection.infer({});
    connection.close();
    expect(proofOf(await running)).toMatchObject({ result: 'unknown' });
    expect(losses).toEqual([]);
  });

  test('that is refused says why', async () => {
    const lost = await new Promise<string>((resolve) => {
      new Connection(
        { endpoint: '127.0.0.1:1', security: INSECURE, receiveLimitBytes: 1000, connectTimeoutMs: 5000 },
        { ready: () => resolve('ready'), lost: resolve },
      );
    });
    expect(lost).toBe('connect ECONNREFUSED 127.0.0.1:1');
  });
});

describe('a control call', () => {
  test('tells silence, refusal and loss apart', async () => {
    const silent = await open(() => {});
    await expect(silent.connection.control((service) => service.ServerReady, {}, 50)).rejects.toMatchObject({ code: 'no_answer' });
    const refusing = await open((stream) => stream.respond({ ...GRPC, 'grpc-status': '12' }, { endStream: true }));
    await expect(refusing.connection.control((service) => service.ModelConfig, {}, 5000)).rejects.toMatchObject({ code: 'refused' });
    const broken = await open((_stream, breakAll) => breakAll());
    await expect(broken.connection.control((service) => service.ServerReady, {}, 5000)).rejects.toMatchObject({ code: 'not_connected' });
  });
});

test('one that failed to connect does not connect later, when nobody owns it any more', async () => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const losses: string[] = [];
  const options = { endpoint: `127.0.0.1:${port}`, security: INSECURE, receiveLimitBytes: RECEIVE_LIMIT_BYTES, connectTimeoutMs: 5000 };
  const connection = new Connection(options, { ready: () => {}, lost: (reason) => void losses.push(reason) });
  await vi.waitFor(() => expect(losses).toHaveLength(1), SOON);
  expect(connection.state).toBe('closed');
  const connections: Socket[] = [];
  server.on('connection', (socket) => connections.push(socket));
  server.listen(port, '127.0.0.1');
  await new Promise((resolve) => setTimeout(resolve, LIBRARY_PAUSE_MS));
  expect(connections).toHaveLength(0);
  server.close();
});
