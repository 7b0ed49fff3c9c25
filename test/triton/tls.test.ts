import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../src/triton/connection.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { readSecurity, type Security } from '../../src/triton/tls.js';
import { Authority, type Signed } from '../support/certificates.js';

const SOON = { timeout: 10_000, interval: 20 };

let authority: Authority;
let stranger: Authority;
let server: Signed;
let node: Signed;

beforeAll(() => {
  authority = new Authority();
  stranger = new Authority('stranger');
  server = authority.sign('triton.local');
  node = authority.sign('governor');
});

afterAll(() => {
  authority.remove();
  stranger.remove();
});

/** @param mutual whether it asks for a certificate of the client @returns its endpoint */
async function serve(mutual = false): Promise<string> {
  const pair = { private_key: readFileSync(server.key), cert_chain: readFileSync(server.certificate) };
  const own = new Server();
  own.addService(loadProtocol().service, {
    ServerLive: (_: unknown, answer: (e: null, a: object) => void) => answer(null, { live: true }),
  });
  const credentials = ServerCredentials.createSsl(readFileSync(authority.file), [pair], mutual);
  const port = await new Promise<number>((resolve, reject) => {
    own.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  onTestFinished(() => own.forceShutdown());
  return `127.0.0.1:${port}`;
}

const from = (own: Signed) => ({ certificate_file: own.certificate, key_file: own.key });
const security = (tls: object) => readSecurity('gpu', { ca_file: authority.file, server_name: 'triton.local', ...tls });

/** What becomes of a connection: it answers a call, or why it could not be made. */
async function connect(endpoint: string, how: Security): Promise<string> {
  let end = '';
  const connection = new Connection(
    { endpoint, security: how, receiveLimitBytes: 4096, connectTimeoutMs: 5000 },
    {
      ready: () => {
        connection
          .control((service) => service.ServerLive, {}, 2000)
          .then(
            ({ live }) => {
              end = `live: ${live}`;
            },
            (error: Error) => {
              end = error.message;
            },
          );
      },
      lost: (reason) => {
        end = reason;
      },
    },
  );
  onTestFinished(() => connection.close());
  await vi.waitFor(() => expect(end).not.toBe(''), SOON);
  return end;
}

describe('a connection over TLS', () => {
  test('is made with a server whose certificate a known authority signed for that name', async () => {
    const endpoint = await serve();
    expect(await connect(endpoint, security({}))).toBe('live: true');
  });

  test.each([
    ['another authority signed its certificate', () => ({ ca_file: stranger.file }), /self-signed certificate|unable to .* certificate/],
    ['its certificate is issued for another name', () => ({ server_name: 'other.local' }), /other\.local/],
  ])('is not made when %s, and says so', async (_, tls, reason) => {
    expect(await connect(await serve(), security(tls()))).toMatch(reason);
  });

  test('is not made with a server that speaks in clear', async () => {
    const own = new Server();
    own.addService(loadProtocol().service, {});
    const port = await new Promise<number>((resolve) => {
      own.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_, bound) => resolve(bound));
    });
    onTestFinished(() => own.forceShutdown());
    expect(await connect(`127.0.0.1:${port}`, security({}))).not.toMatch(/^live/);
  });

  test('proves who the node is to a server that asks for it', async () => {
    const endpoint = await serve(true);
    expect(await connect(endpoint, security({ ...from(node) }))).toBe('live: true');
    expect(await connect(endpoint, security({}))).not.toMatch(/^live/);
    expect(await connect(endpoint, security({ ...from(stranger.sign('governor')) }))).not.toMatch(/^live/);
  });
});

describe('a file that cannot be used is refused with its parameter, its name, and what belongs there', () => {
  const written = (name: string, text: string): string => {
    const file = join(authority.folder, name);
    writeFileSync(file, text);
    return file;
  };
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

  test.each<[string, () => object, RegExp]>([
    [
      'no file',
      () => ({ ca_file: '/no/such/ca.pem' }),
      /^backends\.gpu\.tls\.ca_file: \/no\/such\/ca\.pem cannot be read \(ENOENT.*expected the certificates of the authorities/,
    ],
    ['a folder', () => ({ ca_file: authority.folder }), /tls\.ca_file: .* cannot be read \(EISDIR/],
    ['something else', () => ({ ca_file: written('note.txt', 'hello') }), /tls\.ca_file: .*note\.txt holds no certificate/],
    [
      'a broken certificate',
      () => ({ ca_file: written('broken.pem', broken) }),
      /tls\.ca_file: .*broken\.pem holds a certificate that cannot be read/,
    ],
    ['a file beyond all measure', () => ({ ca_file: written('large.pem', 'x'.repeat(2_000_000)) }), /large\.pem has 2000000 bytes/],
    [
      'a certificate as key',
      () => ({ ...from(node), key_file: node.certificate }),
      /tls\.key_file: .* holds no private key that can be used/,
    ],
    [
      'the key of another certificate',
      () => ({ ...from(node), key_file: server.key }),
      /tls\.key_file: .* is not the key to the first certificate in .*own-\d+\.pem/,
    ],
    ['a key as certificate', () => ({ ...from(node), certificate_file: node.key }), /tls\.certificate_file: .* holds no certificate/],
  ])('%s', (_, tls, message) => {
    expect(() => security(tls())).toThrow(expect.objectContaining({ code: 'tls', message: expect.stringMatching(message) }));
  });
});
