import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const MAX_BODY_BYTES = 65_536;

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  /** Present when it says that it is JSON. */
  readonly json?: string;
}

export interface ControlAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** HTTP on loopback, for the metrics page and for commands. One owner closes it. */
export class ControlServer {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** @throws {Error} of the operating system when the port cannot be had. @param port 0 = any free one. */
  static async listen(host: string, port: number, answer: (request: ControlRequest) => Promise<ControlAnswer>): Promise<ControlServer> {
    const server = createServer((request, response) => {
      serve(request, response, answer).catch(() => response.writableEnded || response.writeHead(500).end());
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new ControlServer(server);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<void> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) {
    body += part;
    if (body.length > MAX_BODY_BYTES) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
  }
  // A page of a web site can send text to loopback, but no JSON.
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  const {
    status,
    contentType,
    body: answered,
  } = await answer({
    method: request.method ?? '',
    path: request.url ?? '',
    ...(isJson ? { json: body } : {}),
  });
  response.writeHead(status, { 'content-type': contentType }).end(answered);
}
