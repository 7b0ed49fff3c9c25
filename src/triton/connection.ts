/**
 * One HTTP/2 connection to a server. It is opened once and never reconnects: what was sent on it is tied to the server process behind it,
 * so that its end can be judged (rules.md 11).
 */
import {
  type ChannelOptions,
  type ClientUnaryCall,
  connectivityState,
  InterceptingCall,
  type Interceptor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { describeEnd, type GrpcEnd, isUnreadable } from './call-end.js';
import type { GRPCInferenceServiceClient, GRPCInferenceServiceDefinition } from './generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest } from './generated/inference/ModelInferRequest.js';
import type { ModelInferResponse__Output } from './generated/inference/ModelInferResponse.js';
import { loadProtocol } from './protocol.js';
import type { Security } from './tls.js';
import { TritonError, type TritonErrorCode } from './triton-error.js';

/**
 * connecting: no call can be made yet.
 * ready: calls go out. The only state in which one is started.
 * retired: no new call; the open ones are followed to their end.
 * closed: it could not be opened, was lost, or was closed by us; calls that a broken connection left open have ended or are ending.
 *
 * connecting -> ready | closed; ready -> retired | closed; retired -> closed.
 */
export type ConnectionState = 'connecting' | 'ready' | 'retired' | 'closed';

export interface ConnectionEvents {
  ready(): void;
  /** It failed to open, or left READY by itself. Not called after `retire` or `close`. */
  lost(reason: string): void;
}

export interface ConnectionOptions {
  /** host:port */
  readonly endpoint: string;
  readonly security: Security;
  readonly receiveLimitBytes: number;
  readonly connectTimeoutMs: number;
}

/** How an inference call ended: with a response, with another end, or it was never made because the connection was not ready. */
export type InferAnswer =
  | { readonly kind: 'response'; readonly response: ModelInferResponse__Output }
  | { readonly kind: 'end'; readonly end: GrpcEnd }
  | { readonly kind: 'not_sent' };

/**
 * A unary call reads one message; a second one would stay unread in front of the status, and the call would never end. Reading on lets
 * grpc-js see and refuse it.
 */
const readOn: Interceptor = (options, nextCall) => {
  const inner = nextCall(options);
  return new InterceptingCall(inner, {
    start: (metadata, _, next) =>
      next(metadata, {
        onReceiveMessage: (message, pass) => {
          pass(message);
          inner.startRead();
        },
      }),
  });
};
const READ_ON = { interceptors: [readOn] };

/** With what grpc-js tells of an answer that has an HTTP status and none of gRPC. */
const HTTP_STATUS = /^Received HTTP status code \d+$/;

const FOREVER_MS = 2 ** 31 - 1;

function channelOptions({ receiveLimitBytes, security: { serverName } }: ConnectionOptions): ChannelOptions {
  return {
    'grpc.enable_retries': 0, // else a call may move to another connection by itself
    'grpc.use_local_subchannel_pool': 1, // else two clients share a connection
    'grpc.client_idle_timeout_ms': FOREVER_MS,
    // What we close after it failed to connect would try once more by itself, and keep the connection that nobody closes then. So it
    // tries at once, while there is no server either.
    'grpc.initial_reconnect_backoff_ms': 1,
    // No keepalive pings: the readiness calls show whether the server answers, and pings can provoke a GOAWAY.
    'grpc.max_receive_message_length': receiveLimitBytes,
    'grpc.max_send_message_length': -1, // what we send was checked against the model
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_channelz': 0,
    ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName }),
  };
}

export class Connection {
  readonly receiveLimitBytes: number;
  readonly #client: GRPCInferenceServiceClient;
  readonly #channel: ReturnType<GRPCInferenceServiceClient['getChannel']>;
  readonly #events: ConnectionEvents;
  readonly #connectTimer: NodeJS.Timeout;
  readonly #open = new Set<ClientUnaryCall>();
  #state: ConnectionState = 'connecting';

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.receiveLimitBytes = options.receiveLimitBytes;
    this.#events = events;
    const Client = loadProtocol();
    this.#client = new Client(options.endpoint, options.security.credentials, channelOptions(options));
    this.#channel = this.#client.getChannel();
    this.#connectTimer = setTimeout(
      () => this.#lose(`no connection to ${options.endpoint} within ${options.connectTimeoutMs} ms`),
      options.connectTimeoutMs,
    );
    this.#watch(this.#channel.getConnectivityState(true));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Inference calls that have not ended. */
  get openCalls(): number {
    return this.#open.size;
  }

  /**
   * Sends one inference call and follows it to its end; there is no deadline. Never rejects. The request is serialised before this
   * returns, so its buffers may be used again.
   */
  infer(request: ModelInferRequest): Promise<InferAnswer> {
    if (this.#state !== 'ready' || this.#channel.getConnectivityState(false) !== connectivityState.READY) {
      return Promise.resolve({ kind: 'not_sent' });
    }
    return new Promise((resolve) => {
      try {
        const call = this.#client.ModelInfer(request, READ_ON, (error, response) => {
          this.#open.delete(call);
          if (error === null && response !== undefined) resolve({ kind: 'response', response });
          else resolve({ kind: 'end', end: endOf(error) });
        });
        this.#open.add(call);
      } catch {
        resolve({ kind: 'not_sent' }); // the channel makes no call once it is shut down
      }
    });
  }

  /**
   * One call that executes nothing: health, metadata, shared memory.
   * @throws {TritonError} `not_connected`, `no_answer`, `refused` or `unreadable`; the cause is the gRPC error
   */
  async control<Request, Response, RequestOutput, ResponseOutput>(
    pick: (service: GRPCInferenceServiceDefinition) => MethodDefinition<Request, Response, RequestOutput, ResponseOutput>,
    request: Request,
    timeoutMs: number,
  ): Promise<ResponseOutput> {
    if (this.#state !== 'ready') throw new TritonError('not_connected', 'there is no connection to the server');
    const { path, requestSerialize, responseDeserialize } = pick(loadProtocol().service);
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + timeoutMs };
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { ...READ_ON, ...options }, (error, response) => {
        if (error === null && response !== undefined) resolve(response);
        else reject(controlError(error));
      });
    });
  }

  /** Starts no more calls, lets the open ones end. */
  retire(): void {
    if (this.#state === 'ready' || this.#state === 'connecting') this.#end('retired');
  }

  /** Gives open calls up: they end with unknown fate. */
  close(): void {
    if (this.#state === 'retired') this.#state = 'closed';
    else if (this.#state !== 'closed') this.#end('closed');
    for (const call of this.#open) call.cancel();
  }

  #watch(seen: connectivityState): void {
    this.#channel.watchConnectivityState(seen, Number.POSITIVE_INFINITY, () => {
      const now = this.#channel.getConnectivityState(false);
      switch (now) {
        case connectivityState.READY:
          if (this.#state === 'connecting') this.#becomeReady();
          break;
        case connectivityState.TRANSIENT_FAILURE:
          this.#fail();
          return;
        case connectivityState.IDLE:
          if (this.#state === 'ready') this.#lose('the connection was closed by the server or broke');
          break;
        case connectivityState.CONNECTING:
        case connectivityState.SHUTDOWN:
          break;
      }
      if (this.#state === 'connecting' || this.#state === 'ready') this.#watch(now);
    });
  }

  #becomeReady(): void {
    clearTimeout(this.#connectTimer);
    this.#state = 'ready';
    this.#events.ready();
  }

  /** Asks the channel why it failed: only a call is told. */
  #fail(): void {
    if (this.#state !== 'connecting') return;
    this.#client.ServerLive({}, (error) => this.#lose(connectFailure(error)));
  }

  #lose(reason: string): void {
    if (this.#state !== 'connecting' && this.#state !== 'ready') return;
    this.#end('closed');
    this.#events.lost(reason);
  }

  #end(state: 'retired' | 'closed'): void {
    clearTimeout(this.#connectTimer);
    this.#state = state;
    // Not inside a callback of the channel's own state machine. Before it runs nothing can reconnect: that takes a turn of the event loop.
    process.nextTick(() => this.#client.close());
  }
}

function endOf(error: ServiceError | null): GrpcEnd {
  if (error === null) return { code: status.UNKNOWN, details: 'no message and no error', hasServerHeaders: false };
  // Whatever its types say: grpc-js gives neither for a message that is packed in a way it does not know.
  const { code = status.UNKNOWN, details = '' }: Partial<ServiceError> = error;
  // A gateway that answers for the server, with a page or an HTTP status, is not the server.
  const [contentType] = error.metadata.get('content-type');
  const isGrpc = typeof contentType === 'string' && contentType.startsWith('application/grpc');
  return { code, details, hasServerHeaders: isGrpc && !HTTP_STATUS.test(details) };
}

function controlError(error: ServiceError | null): TritonError {
  const end = endOf(error);
  return new TritonError(controlCode(end), describeEnd(end), error ?? undefined);
}

function controlCode(end: GrpcEnd): TritonErrorCode {
  if (end.code === status.DEADLINE_EXCEEDED) return 'no_answer';
  if (end.hasServerHeaders) return 'refused';
  return isUnreadable(end) ? 'unreadable' : 'not_connected';
}

function connectFailure(error: ServiceError | null): string {
  const details = error?.details ?? '';
  return (
    /Last error: (?:Error: )?(.*?)(?: \(\d{4}-[^)]*\))?(?:\. Resolution note: .*)?$/.exec(details)?.[1] ??
    (details || 'the server does not accept the connection')
  );
}
