/** `vig` as a process: what a shell and a script see. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { connect, infer, request } from '../contract/client.js';
import { referenceModels } from '../contract/models.js';
import { ReferenceProcess } from '../support/reference-server.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Run {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Without a ROS environment: nothing here may need one. */
async function vig(...commandLine: string[]): Promise<Run> {
  const child = spawn(process.execPath, [PROGRAM, ...commandLine], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const [status] = await once(child, 'close');
  return { status: typeof status === 'number' ? status : null, output, errors };
}

describe('vig', () => {
  test('names its version and its commands', async () => {
    expect(await vig('--version')).toMatchObject({ status: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), errors: '' });
    const { status, output } = await vig('--help');
    expect(status).toBe(0);
    for (const command of ['run', 'demo', 'serve-reference']) expect(output).toContain(`\n  ${command} `);
  });

  test.each([
    ['an unknown command', ['serv-reference'], "unknown command 'serv-reference'"],
    ['an unknown option', ['serve-reference', '--prt', '1'], "unknown option '--prt'"],
    ['a port that is none', ['serve-reference', '--port', '70000'], 'expected a number from 0 to 65535'],
    ['no command', [], 'Usage: vig'],
  ])('%s is a wrong use: status 2 and what would be right', async (_, commandLine, text) => {
    const { status, output, errors } = await vig(...commandLine);
    expect({ status, output }).toEqual({ status: 2, output: '' });
    expect(errors).toContain(text);
  });
});

describe('vig serve-reference', () => {
  let server: ReferenceProcess | undefined;
  afterEach(async () => {
    await server?.stop();
  });

  test('says where it listens, and ends with status 0 on SIGTERM', async () => {
    server = await ReferenceProcess.start();
    expect(server.models).toEqual(['centerface', 'ppocr_det']);
    expect(await server.stop()).toBe(0);
  });

  test('a second signal does not wait for running calls', async () => {
    const slow = await ReferenceProcess.start(referenceModels().replaceAll('fixed_ms: 400', 'fixed_ms: 600000'));
    server = slow;
    const client = connect(slow.endpoint);
    const calls = [1, 2].map(() => infer(client, request('slow')));
    const outcomes = Promise.allSettled(calls);
    await expect.poll(() => slow.metric('nv_inference_pending_request_count', 'slow')).toBe(1);
    slow.signal('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100)); // two signals at once may be seen as one
    expect(await slow.stop()).toBe(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    client.close();
  }, 20_000); // less than the 30 s that the first signal waits

  test('a taken port is named, status 1, and a missing model file, status 2', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    expect(await vig('serve-reference', '--port', port, '--metrics-port', '0')).toEqual({
      status: 1,
      output: '',
      errors: `vig: port ${port} on 127.0.0.1 cannot be had; choose another with --port, or 0 for any free one\n`,
    });
    holder.close();
    const missing = await vig('serve-reference', '--models', '/nowhere.yaml');
    expect(missing).toMatchObject({ status: 2, output: '', errors: expect.stringContaining('/nowhere.yaml: cannot read the file') });
  });
});
