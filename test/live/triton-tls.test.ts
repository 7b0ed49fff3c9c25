import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readSecurity } from '../../src/triton/tls.js';
import { Authority, type Signed } from '../support/certificates.js';
import { floats, floatsOf, outputsOf, TritonHarness } from '../support/triton-harness.js';
import { echoModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';

const SOON = { timeout: 15_000, interval: 20 };

let authority: Authority;
let node: Signed;
let server: TritonServer;

beforeAll(async () => {
  authority = new Authority();
  node = authority.sign('governor');
  const own = authority.sign('triton.local');
  const certificates = [`--grpc-server-cert=${own.certificate}`, `--grpc-server-key=${own.key}`, `--grpc-root-cert=${authority.file}`];
  const extraArguments = ['--grpc-use-ssl=true', '--grpc-use-ssl-mutual=true', ...certificates];
  server = await TritonServer.start({ models: [echoModel()], extraArguments });
});

afterAll(async () => {
  await server.stop();
  authority.remove();
});

function connect(tls: object): TritonHarness {
  const security = readSecurity('gpu', { ca_file: authority.file, server_name: 'triton.local', ...tls });
  const harness = new TritonHarness(server.endpoint, ['echo'], { security, transport: 'auto' });
  onTestFinished(() => harness.backend.close());
  return harness;
}

test('calls go to a Triton that asks for our certificate, by shared memory too, and the witness is known there', async () => {
  const harness = connect({ certificate_file: node.certificate, key_file: node.key });
  await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
  await harness.backend.warmUp('echo', [floats(0)], 1);
  expect(floatsOf(outputsOf(await harness.infer('echo', floats(7)))[0])).toEqual([7]);
  expect(harness.evidence).toContainEqual(expect.objectContaining({ kind: 'witness', present: true }));
});

test.each<[string, () => object, RegExp]>([
  ['shows no certificate', () => ({}), /see that it speaks TLS and does not ask for a certificate of this node/],
  ['expects another name', () => ({ certificate_file: node.certificate, key_file: node.key, server_name: 'other' }), /other/],
])('a node that %s is told why it is not connected', async (_, tls, reason) => {
  const harness = connect(tls());
  await vi.waitFor(() => expect(harness.last('echo')?.detail).toMatch(reason), SOON);
  expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'not_started' });
});
