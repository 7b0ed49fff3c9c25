/** The pages that a process shows over HTTP: its metrics, and to supervisors whether it lives and whether it can serve. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsPage {
  readonly contentType: string;
  page(): Promise<string>;
}

/** Why the process cannot serve now, one line; undefined while it can. */
export type WhyNotReady = () => string | undefined;

/** Far more than scrapers and supervisors need; a connection beyond is closed at once. */
export const MAX_CONNECTIONS = 64;
/** A connection on which no request has come for so long is closed, so that idle ones cannot keep the others out. */
const REQUEST_TIMEOUT_MS = 2000;
/** How often that is looked at. */
const CHECK_INTERVAL_MS = 500;
const MAX_HEADER_BYTES = 8192;

const TEXT = 'text/plain; charset=utf-8';

type Show = (response: ServerResponse) => void;

/** Serves /metrics and /healthz, and /readyz where there is something to be ready for. One owner closes it. */
export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws {Error} naming address and remedy when it cannot be had. @param port 0 = any free one. */
  static async listen(metrics: MetricsPage, host: string, port: number, whyNotReady?: WhyNotReady): Promise<MetricsServer> {
    const pages = pagesOf(metrics, whyNotReady);
    const limits = {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    const server = createServer(limits, (request, response) => answer(pages, request, response));
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
      server.listen(port, host, resolve);
    });
    return new MetricsServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

function pagesOf(metrics: MetricsPage, whyNotReady: WhyNotReady | undefined): ReadonlyMap<string, Show> {
  const pages = new Map<string, Show>([
    ['/metrics', (response) => void showMetrics(metrics, response)],
    ['/healthz', (response) => show(response, 200, 'the event loop turns')],
  ]);
  if (whyNotReady !== undefined) {
    pages.set('/readyz', (response) => {
      const reason = whyNotReady();
      show(response, reason === undefined ? 200 : 503, reason ?? 'ready');
    });
  }
  return pages;
}

function answer(pages: ReadonlyMap<string, Show>, { method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const page = pages.get(url.split('?', 1)[0] ?? '');
  if (page === undefined) show(response, 404, `there are ${[...pages.keys()].join(', ')}`);
  else if (method !== 'GET' && method !== 'HEAD') show(response.setHeader('allow', 'GET, HEAD'), 405, 'GET or HEAD');
  else page(response);
}

async function showMetrics(metrics: MetricsPage, response: ServerResponse): Promise<void> {
  try {
    const page = await metrics.page();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(page);
  } catch {
    show(response, 500, 'the metrics could not be read');
  }
}

function show(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { 'content-type': TEXT, 'cache-control': 'no-store' }).end(`${line}\n`);
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): Error {
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another process has it: choose another metrics.port, or 0 for none',
    EACCES: 'choose a metrics.port from 1024, or 0 for none',
  };
  const remedy = remedies[error.code ?? ''] ?? 'metrics.host has to be an address of this machine, for instance 127.0.0.1';
  return new Error(`metrics.port ${port} cannot be served on metrics.host ${host} (${error.code ?? error.message}): ${remedy}`, {
    cause: error,
  });
}
