/** Against a server that is broken, or means harm: each answer costs one outcome at most, and what comes after it is served. */
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TensorTransport } from '../../src/triton/tensor-transport.js';
import {
  type Answer,
  bytes,
  config,
  frame,
  GOOD_RESULT,
  GRPC,
  HostileServer,
  metadata,
  result,
  statistics,
  status,
} from '../support/hostile-server.js';
import { floats, TritonHarness } from '../support/triton-harness.js';

const SOON = { timeout: 10_000, interval: 10 };

let server: HostileServer;

beforeEach(async () => {
  server = await HostileServer.listen();
});

afterEach(() => server.close());

function connect(): TritonHarness {
  const harness = new TritonHarness(server.endpoint, ['echo']);
  onTestFinished(() => harness.backend.close());
  return harness;
}

async function ready(): Promise<TritonHarness> {
  const harness = connect();
  await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
  return harness;
}

const output = (change: object) => result({ ...GOOD_RESULT, outputs: [{ name: 'OUT', datatype: 'FP32', shape: [1], ...change }] });
const raw = (...contents: Uint8Array[]) => result({ ...GOOD_RESULT, raw_output_contents: contents.map((content) => Buffer.from(content)) });

/** A string field that holds no UTF-8: the name of the model, field 1. */
const NO_UTF8 = Buffer.from([0x0a, 4, 0xff, 0xfe, 0xc0, 0x80]);

const ANSWERS: readonly (readonly [string, Answer, string])[] = [
  ['is longer than the model says', raw(new Uint8Array(10_000_000)), 'response_too_large'],
  ['claims to be of 4 GB', bytes(frame(Buffer.alloc(100), 0xffff_ffff)), 'response_too_large'],
  ['is a bomb', bytes(frame(gzipSync(Buffer.alloc(200_000_000)), undefined, true), { 'grpc-encoding': 'gzip' }), 'response_too_large'],
  ['claims to be packed and is not', bytes(frame(Buffer.from('plain'), undefined, true), { 'grpc-encoding': 'gzip' }), 'bad_output'],
  ['is no protobuf', bytes(frame(Buffer.from('no protobuf at all'))), 'bad_output'],
  ['comes twice', bytes(Buffer.concat([frame(Buffer.alloc(0)), frame(Buffer.alloc(0))])), 'bad_output'],
  ['is empty', bytes(frame(Buffer.alloc(0))), 'bad_output'],
  ['ends within its message', bytes(frame(Buffer.alloc(10), 100)), 'bad_output'],
  ['is missing', bytes(Buffer.alloc(0)), 'bad_output'],
  ['has names that are no text', bytes(frame(NO_UTF8)), 'bad_output'],
  ['has a name without an end', output({ name: 'x'.repeat(100_000) }), 'bad_output'],
  ['has too few bytes', raw(new Uint8Array(3)), 'bad_output'],
  ['has too many bytes', raw(new Uint8Array(5)), 'bad_output'],
  ['has contents for two outputs and one output', raw(new Uint8Array(4), new Uint8Array(4)), 'bad_output'],
  ['has a negative dimension', output({ shape: [-1] }), 'bad_output'],
  ['has dimensions that nothing holds', output({ shape: ['9223372036854775807', '9223372036854775807'] }), 'bad_output'],
  ['has more dimensions than anybody', output({ shape: Array.from({ length: 1000 }, () => 1) }), 'bad_output'],
  ['has a datatype of its own', output({ datatype: 'FP4' }), 'bad_output'],
  ['has a status that is no number', status('many', 'x'), 'model_error'],
  ['has words for a terminal', status(13, encodeURI('\u001b[31mred\u0007\n\u202e')), 'model_error'],
  ['has words without an end', status(13, 'x'.repeat(8000)), 'model_error'],
];

describe('an answer that', () => {
  test.each(ANSWERS)('%s costs one outcome', async (_, answer, cause) => {
    const harness = await ready();
    server.answers['ModelInfer'] = answer;
    const end = await harness.infer('echo', floats(1));
    expect(end).toMatchObject({ result: 'failed', cause });
    if (end.result !== 'ok') expect(end.detail).toMatch(/^[^\p{Cc}\p{Cf}]{1,700}$/u);
    delete server.answers['ModelInfer'];
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'ok' });
    expect(harness.isReady('echo')).toBe(true);
  });

  test.each<[string, Answer]>([
    ['is broken off', (stream) => stream.close(constants.NGHTTP2_PROTOCOL_ERROR)],
    ['is packed in an unknown way', bytes(frame(Buffer.from('x'), undefined, true), { 'grpc-encoding': 'lzma' })],
    ['hangs up the connection', (stream) => stream.session?.destroy()],
    ['has headers without an end', (stream) => stream.respond({ ...GRPC, ...many(2000) }, { endStream: true })],
    ['says goodbye and stays', (stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
  ])('%s has an unknown fate', async (_, answer) => {
    const harness = await ready();
    server.answers['ModelInfer'] = (stream) => {
      answer(stream);
      setTimeout(() => stream.destroy(), 200);
    };
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'unknown' });
    delete server.answers['ModelInfer'];
    await vi.waitFor(async () => expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'ok' }), SOON);
  });

  test('goes on and on is given up when a second one begins', async () => {
    const harness = await ready();
    let sentBytes = 0;
    server.answers['ModelInfer'] = (stream) => {
      stream.respond(GRPC);
      const more = () => {
        if (stream.destroyed) return;
        sentBytes += 100_000;
        stream.write(frame(Buffer.alloc(100_000)), more);
      };
      more();
    };
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'failed', cause: 'bad_output' });
    delete server.answers['ModelInfer'];
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'ok' });
    expect(sentBytes).toBeLessThan(10_000_000);
  });
});

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'y']));
}

describe('a model whose description', () => {
  const named = (name: string) => ({ name, datatype: 'FP32', shape: [1] });
  const one = [named('IN')];
  test.each<[string, Answer, RegExp]>([
    ['is longer than 4 MiB', metadata({ name: 'echo', versions: ['1'.repeat(5_000_000)], inputs: one, outputs: one }), /larger than max/],
    ['is no protobuf', bytes(frame(Buffer.from('no protobuf at all'))), /parsing error/],
    ['has names that are no text', bytes(frame(NO_UTF8)), /answered for/],
    ['has control characters in a name', metadata({ name: 'echo', inputs: [named('a\u001b[2J')], outputs: one }), /has the name "a\\u001b/],
    ['has a negative dimension', metadata({ name: 'echo', inputs: [{ ...named('IN'), shape: [-7] }], outputs: one }), /dimension of -7/],
    ['has no outputs', metadata({ name: 'echo', inputs: one }), /no output/],
  ])('%s is not ready, with the reason', async (_, answer, reason) => {
    server.answers['ModelMetadata'] = answer;
    const harness = connect();
    await vi.waitFor(() => expect(harness.last('echo')?.detail).toMatch(reason), SOON);
    expect(harness.isReady('echo')).toBe(false);
    expect(harness.last('echo')?.detail.length).toBeLessThan(1000);
    delete server.answers['ModelMetadata'];
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
  });

  test('promises outputs without measure does not make us read them', async () => {
    const outputs = [{ name: 'OUT', datatype: 'FP32', shape: ['1000000000000'] }];
    server.answers['ModelMetadata'] = metadata({ name: 'echo', inputs: one, outputs });
    server.answers['ModelInfer'] = bytes(frame(Buffer.alloc(100), 300 * 1024 * 1024));
    const harness = await ready();
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'failed', cause: 'response_too_large' });
  });

  test('asks for inputs without measure is not warmed up, and no memory is taken', async () => {
    server.answers['ModelConfig'] = config({ config: { name: 'echo', max_batch_size: 0 } });
    const harness = new TritonHarness(server.endpoint, ['echo'], { transport: 'shared_memory' });
    onTestFinished(() => harness.backend.close());
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    const endless = { ...floats(1), byteLength: 2 ** 41 };
    await expect(harness.backend.warmUp('echo', [endless], 1)).rejects.toMatchObject({ code: 'shared_memory' });
    expect(await harness.infer('echo', endless)).toMatchObject({ result: 'not_started' });
  });
});

describe('a server', () => {
  test('that hangs up on every connection is not called more than a few times a second', async () => {
    server.greet = (socket) => setTimeout(() => socket.destroy(), 20);
    const harness = connect();
    await sleep(1000);
    expect(server.connections).toBeGreaterThan(2);
    expect(server.connections).toBeLessThan(15);
    server.greet = undefined;
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
  });

  test('that breaks off every question does not stay ready', async () => {
    const harness = await ready();
    server.answers['ServerReady'] = (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    await vi.waitFor(
      () => expect(harness.last('echo')).toMatchObject({ ready: false, detail: expect.stringContaining('does not answer') }),
      SOON,
    );
    server.answers = {};
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
  });

  test('whose counters are nonsense tells nothing, which is said once', async () => {
    const stats = (count: string) => ({ model_stats: [{ name: 'echo', version: '1', inference_stats: { success: { count, ns: '0' } } }] });
    server.answers['ModelStatistics'] = statistics(stats('18446744073709551615'));
    const harness = await ready();
    await harness.infer('echo', floats(1));
    expect(harness.evidence.filter(({ kind }) => kind === 'counter')).toEqual([]);
    expect(harness.logLines.filter((line) => line.includes('does not count executions'))).toHaveLength(1);
  });

  test('that talks of another protocol is not reached, and its words are no instruction', async () => {
    server.greet = (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n\u001b[2J');
    const harness = connect();
    await sleep(300);
    expect(harness.isReady('echo')).toBe(false);
    expect(harness.last('echo')?.detail ?? '').toMatch(/^[^\p{Cc}]*$/u);
  });
});

test('a connection is closed also when something else of the backend fails to be', async () => {
  const sockets: Socket[] = [];
  server.greet = (socket) => sockets.push(socket);
  const harness = await ready();
  vi.spyOn(TensorTransport.prototype, 'close').mockRejectedValueOnce(new Error('a region that cannot be removed'));
  await expect(harness.backend.close()).rejects.toThrow('a region');
  await vi.waitFor(() => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]), SOON);
});
