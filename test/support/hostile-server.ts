/** A KServe v2 server over bare HTTP/2 that serves one model, "echo", well, except where a test says otherwise. */
import { createServer, type Http2Server, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { ModelConfigResponse } from '../../src/triton/generated/inference/ModelConfigResponse.js';
import type { ModelInferResponse } from '../../src/triton/generated/inference/ModelInferResponse.js';
import type { ModelMetadataResponse } from '../../src/triton/generated/inference/ModelMetadataResponse.js';
import type { ModelStatisticsResponse } from '../../src/triton/generated/inference/ModelStatisticsResponse.js';
import { loadProtocol } from '../../src/triton/protocol.js';

export const GRPC = { ':status': 200, 'content-type': 'application/grpc' };
const { service } = loadProtocol();

export type Answer = (stream: ServerHttp2Stream) => void;
type Method = keyof typeof service & string;

/** A message in a frame of gRPC. @param claimed the length it claims to have. @param compressed whether it claims to be */
export function frame(body: Uint8Array, claimed = body.length, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(claimed, 1);
  return Buffer.concat([head, body]);
}

/** Sends these bytes as they are, then status OK. */
export const bytes =
  (body: Uint8Array, headers: OutgoingHttpHeaders = {}): Answer =>
  (stream) => {
    stream.respond({ ...GRPC, ...headers }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(body);
  };

export const metadata = (answer: ModelMetadataResponse): Answer => bytes(frame(service.ModelMetadata.responseSerialize(answer)));
export const config = (answer: ModelConfigResponse): Answer => bytes(frame(service.ModelConfig.responseSerialize(answer)));
export const statistics = (answer: ModelStatisticsResponse): Answer => bytes(frame(service.ModelStatistics.responseSerialize(answer)));
export const ready = (answer: boolean): Answer => bytes(frame(service.ModelReady.responseSerialize({ ready: answer })));
export const result = (answer: ModelInferResponse): Answer => bytes(frame(service.ModelInfer.responseSerialize(answer)));

/** Status and text without a message. */
export const status =
  (code: number | string, text: string): Answer =>
  (stream) =>
    stream.respond({ ...GRPC, 'grpc-status': String(code), 'grpc-message': text }, { endStream: true });

/** Reads the request before it answers. @param answer gets the name of the model, or of the region, that it is about */
export const byName =
  (answer: (name: string) => Answer): Answer =>
  (stream) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => answer(service.ModelReady.requestDeserialize(Buffer.concat(parts).subarray(5)).name)(stream));
  };

const tensor = (name: string) => ({ name, datatype: 'FP32', shape: [1] });

export const GOOD_RESULT: ModelInferResponse = {
  model_name: 'echo',
  model_version: '1',
  outputs: [tensor('OUT')],
  raw_output_contents: [Buffer.from(Float32Array.of(1).buffer)],
};

/** What a server with shared memory answers that was told of these regions. */
export function withMemory(regions: Set<string>): Partial<Record<Method, Answer>> {
  const listed = () => Object.fromEntries([...regions].map((name) => [name, { name, key: `/${name}`, offset: 0, byte_size: 4096 }]));
  return {
    SystemSharedMemoryStatus: (stream) => bytes(frame(service.SystemSharedMemoryStatus.responseSerialize({ regions: listed() })))(stream),
    SystemSharedMemoryRegister: byName((name) => {
      regions.add(name);
      return bytes(frame(service.SystemSharedMemoryRegister.responseSerialize({})));
    }),
    SystemSharedMemoryUnregister: byName((name) => {
      regions.delete(name);
      return bytes(frame(service.SystemSharedMemoryUnregister.responseSerialize({})));
    }),
  };
}

const GOOD: Readonly<Partial<Record<Method, Answer>>> = {
  ServerLive: bytes(frame(service.ServerLive.responseSerialize({ live: true }))),
  ServerReady: bytes(frame(service.ServerReady.responseSerialize({ ready: true }))),
  ModelReady: ready(true),
  ModelMetadata: metadata({ name: 'echo', versions: ['1'], inputs: [tensor('IN')], outputs: [tensor('OUT')] }),
  ModelInfer: result(GOOD_RESULT),
};

export class HostileServer {
  /** By the name of the call; what is not here is answered well, or not implemented. */
  answers: Partial<Record<Method, Answer>> = {};
  /** Instead of serving a connection. */
  greet: ((socket: Socket) => void) | undefined;
  connections = 0;
  readonly #server: Http2Server = createServer();
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      this.greet?.(socket);
    });
    this.#server.on('sessionError', () => {});
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      stream.resume();
      const path = String(headers[':path']);
      const answers: Readonly<Record<string, Answer | undefined>> = { ...GOOD, ...this.answers };
      (answers[path.slice(path.lastIndexOf('/') + 1)] ?? status(12, 'not here'))(stream);
    });
  }

  static async listen(): Promise<HostileServer> {
    const server = new HostileServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get endpoint(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
