import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/** So many different loopback ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(servers.map(listen));
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('a listening socket has no port'));
      else resolve(address.port);
    });
  });
}

/** Domains above lie in the range of ephemeral ports on Linux. */
const LAST_DOMAIN = 101;

/** A ROS domain in which no participant is seen on this machine; the last one tried when all are taken. */
export async function freeDomain(first = 1 + (process.pid % LAST_DOMAIN)): Promise<number> {
  for (let offset = 0; offset < LAST_DOMAIN; offset += 1) {
    const domain = 1 + ((first - 1 + offset) % LAST_DOMAIN);
    if (await isFree(7410 + 250 * domain)) return domain; // where the first participant of a domain listens
  }
  return first;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}
