import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsPage {
  readonly contentType: string;
  page(): Promise<string>;
}

/** Serves the metrics page over HTTP at /metrics. One owner closes it. */
export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws {Error} naming address and remedy when the port cannot be had. @param port 0 = any free one. */
  static async listen(metrics: MetricsPage, host: string, port: number): Promise<MetricsServer> {
    const server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') {
        response.writeHead(404).end('GET /metrics\n');
        return;
      }
      metrics.page().then(
        (page) => response.writeHead(200, { 'content-type': metrics.contentType }).end(page),
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const remedy = 'choose another metrics.port, or 0 for none';
        reject(new Error(`metrics cannot be served on ${host}:${port} (${error.code ?? error.message}): ${remedy}`, { cause: error }));
      });
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
