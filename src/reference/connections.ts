import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** GOAWAY of HTTP/2, ENHANCE_YOUR_CALM, as Triton sends it to a client that pings too often. It says nothing about what was processed. */
const GO_AWAY = goAwayFrame(11, 'too_many_pings');

/** The port and its connections, kept here so that they can be cut: gRPC is given each connection when it comes. */
export class Connections {
  /** The port, while it is open and afterwards. */
  #port = 0;
  readonly #server: Server;
  /** By the peer as gRPC names it. */
  readonly #sockets = new Map<string, Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws {Error} of the operating system when the port cannot be had. @param port 0 = any free one. */
  static async listen(host: string, port: number, serve: (socket: Socket) => void): Promise<Connections> {
    const server = createServer({ noDelay: true });
    const connections = new Connections(server);
    server.on('connection', (socket) => {
      connections.#keep(socket);
      serve(socket);
    });
    server.listen(port, host);
    await once(server, 'listening');
    connections.#port = (server.address() as AddressInfo).port;
    return connections;
  }

  get port(): number {
    return this.#port;
  }

  /** Cuts a connection at once; the client sees a reset. @param peer all without it. */
  reset(peer?: string): void {
    const cut = peer === undefined ? [...this.#sockets.values()] : [this.#sockets.get(peer)];
    for (const socket of cut) socket?.resetAndDestroy();
  }

  /** Tells every client to go away for too many pings, then hangs up. */
  goAway(): void {
    for (const socket of this.#sockets.values()) socket.write(GO_AWAY, () => socket.destroy());
  }

  /** Hangs up and frees the port, as the end of a process does. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets.values()) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#sockets.set(peer, socket);
    socket.on('error', () => undefined); // told by 'close' too
    socket.once('close', () => this.#sockets.delete(peer));
  }
}

function goAwayFrame(code: number, reason: string): Buffer {
  const payload = Buffer.concat([Buffer.alloc(8), Buffer.from(reason)]);
  payload.writeUInt32BE(0x7fff_ffff, 0); // the last stream that may have been processed: all
  payload.writeUInt32BE(code, 4);
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.byteLength, 0, 3);
  head.writeUInt8(7, 3);
  return Buffer.concat([head, payload]);
}
