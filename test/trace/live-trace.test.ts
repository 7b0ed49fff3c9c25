import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { LiveTrace } from '../../src/trace/live-trace.js';
import { whyNotReplaceable } from '../../src/trace/own-file.js';
import { readEvents, readHead } from '../../src/trace/trace-reader.js';
import { WholeTrace } from '../../src/trace/whole-trace.js';
import { longTrace, scratchFolder, written } from './recorded.js';

const SOURCE = written(longTrace());
const { configuration } = await readHead(SOURCE);
const open = (file: string) =>
  LiveTrace.open({ ...parametersSchema.shape.trace.parse({}), file }, configuration, pino({ level: 'silent' }));

test('by a link the trace is where the link leads, with its parts and its lock', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'disk'));
  const [link, real] = [join(folder, 'run.trace'), join(folder, 'disk', 'real.trace')];
  symlinkSync('disk/real.trace', link);
  for (let run = 0; run < 2; run += 1) {
    const trace = await open(link);
    await expect(open(real)).rejects.toThrow('another process writes this trace');
    if (run > 0) expect(await whyNotReplaceable(link)).toContain('is being written by a running node');
    for await (const { event, at, actions } of readEvents(SOURCE)) trace?.record(event, at, actions);
    await trace?.close();
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(join(folder, 'disk')).map((name) => name.replace('.gz', ''))).toEqual(['real.trace', 'real.trace.1']);
  expect(readFileSync(real, 'utf8').split('\n')).toHaveLength(longTrace().length + 1);
});

test('a pipe is refused: who writes into one waits for its reader', async () => {
  const file = join(scratchFolder(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', file]);
  await expect(open(file)).rejects.toThrow(`${file} cannot be written: it is a pipe`);
  expect(() => new WholeTrace(file, configuration)).toThrow(`${file} cannot be written: it is a pipe`);
});
