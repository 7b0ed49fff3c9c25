/** Parameter files that cannot be meant: refused before anything starts, with file, line, key and what would be right. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const VIG = fileURLToPath(new URL('../../bin/vig', import.meta.url));

const GOOD = `governor:
  ros__parameters:
    metrics: {port: 0}
    backends:
      gpu:
        endpoint: 127.0.0.1:1
        slots: 1
    models:
      detector:
        backend: gpu
        variants:
          only:
            backend_model: centerface
    streams:
      front:
        topic: /camera
        model: detector
        contract:
          max_age_ms: 100
`;
const REAR = `      rear:
        topic: camera
        model: detector
        contract: {max_age_ms: 100}
`;

const replaced = (from: string, to: string) => GOOD.replace(from, to);

describe('vig run refuses', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vig-parameters-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(text: string, ...more: readonly string[]): Promise<{ status: unknown; output: string; errors: string }> {
    const file = path.join(folder, 'robot.yaml');
    writeFileSync(file, text);
    const child = spawn(VIG, ['run', '--ros-args', '--params-file', file, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    const [status] = await once(child, 'close');
    return { status, output, errors: errors.replaceAll(file, 'robot.yaml') };
  }

  it.each([
    ['an unknown key', replaced('max_age_ms: 100', 'max_age: 100'), 'robot.yaml:19: streams.front.contract.max_age', 'max_age_ms'],
    ['a fraction for an integer', replaced('slots: 1', 'slots: 1.5'), 'robot.yaml:7: backends.gpu.slots is 1.5', 'whole number'],
    ['text for a number', replaced('max_age_ms: 100', 'max_age_ms: soon'), 'robot.yaml:19: streams.front.contract.max_age_ms', 'number'],
    [
      'a negative duration',
      replaced('max_age_ms: 100', 'max_age_ms: -5'),
      'robot.yaml:19: streams.front.contract.max_age_ms is -5',
      '0.001',
    ],
    [
      'a model that is not there',
      replaced('model: detector', 'model: detectr'),
      'robot.yaml:17: streams.front.model',
      'did you mean detector?',
    ],
    ['two streams on one topic', `${GOOD}${REAR}`, 'robot.yaml:21: streams.rear.topic', 'stream front has topic /camera already'],
    [
      'no streams',
      GOOD.slice(0, GOOD.indexOf('    streams:')),
      'robot.yaml',
      'add streams.<name> with topic, model and contract.max_age_ms',
    ],
    ['a block for another node only', replaced('governor:', 'guvernor:'), 'robot.yaml', 'expected "governor:"'],
    ['what is no YAML', replaced('slots: 1', 'slots: [1'), 'robot.yaml:8: ', 'not valid YAML'],
  ])('%s', async (_, text, place, remedy) => {
    const { status, output, errors } = await run(text);
    expect({ status, output }).toEqual({ status: 2, output: '' });
    const line = errors.split('\n').find((candidate) => candidate.includes(place)) ?? errors;
    expect(line).toContain(place);
    expect(line).toContain(remedy);
    expect(errors).not.toMatch(/lifecycle|\bat .*\.js:\d/); // nothing has started, and no stack is shown
  });

  it('every mistake at once, not one a run', async () => {
    const text = GOOD.replace('slots: 1', 'slots: 0').replace('backend: gpu', 'backend: gpo').replace('max_age_ms', 'max_age');
    const { status, errors } = await run(text);
    expect(status).toBe(2);
    for (const place of ['robot.yaml:7: ', 'robot.yaml:10: ', 'robot.yaml:19: ']) expect(errors).toContain(place);
  });

  it('a file for a node of another name than it is given', async () => {
    const { status, errors } = await run(GOOD, '-r', '__node:=watcher');
    expect(status).toBe(2);
    for (const text of ['robot.yaml: ', 'no parameters for node /watcher', 'blocks for governor', 'expected "watcher:"']) {
      expect(errors).toContain(text);
    }
  });
});
