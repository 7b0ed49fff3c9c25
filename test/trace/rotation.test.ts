import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { millis } from '../../src/core/units.js';
import { type CompressPart, compressPart } from '../../src/trace/compress-part.js';
import { explainFile } from '../../src/trace/explain-file.js';
import { exportChrome } from '../../src/trace/export-file.js';
import { whyNotReplaceable } from '../../src/trace/own-file.js';
import { partNames } from '../../src/trace/parts.js';
import { RotatingFile, type RotatingFileOptions } from '../../src/trace/rotating-file.js';
import { readEvents, readHead } from '../../src/trace/trace-reader.js';
import { TraceWriter } from '../../src/trace/trace-writer.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { WholeTrace } from '../../src/trace/whole-trace.js';
import { longTrace, scratchFolder, written } from './recorded.js';

const LINES = longTrace();
const [HEAD = '', ...EVENTS] = LINES;
const PART_BYTES = 8_000;
/** All events are two parts. */
const TWO_PARTS = { maxBytes: EVENTS.join('').length / 1.5 };
const head = (part: number, first: number) => HEAD.replace('"part":0', `"part":${part},"first":${first}`);

interface Opened {
  readonly file: string;
  readonly output: RotatingFile;
  readonly failures: unknown[];
}

function openedAt(file: string, options: Partial<RotatingFileOptions> = {}): Opened {
  const failures: unknown[] = [];
  const output = new RotatingFile({ file, maxBytes: PART_BYTES, parts: 100, head, failed: (error) => failures.push(error), ...options });
  return { file, output, failures };
}

const opened = (options?: Partial<RotatingFileOptions>) => openedAt(join(scratchFolder(), 'run.trace'), options);

function write({ output }: Opened, line: string): void {
  output.write(line);
  output.flush();
}

/** @param options of the trace. @returns it, and a way to write to it that waits until each part is compressed. */
function patient(options?: Partial<RotatingFileOptions>, file = join(scratchFolder(), 'run.trace')) {
  let last: Promise<void> | undefined;
  const compress: CompressPart = (...args) => {
    last = compressPart(...args);
    return last;
  };
  const trace = openedAt(file, { compress, ...options });
  const tell = async (line: string): Promise<void> => {
    write(trace, line);
    await last;
    await turn();
  };
  return { trace, tell };
}

/** Every event, with time for each part to be compressed. */
async function rotated(options?: Partial<RotatingFileOptions>): Promise<Opened> {
  const { trace, tell } = patient(options);
  for (const line of EVENTS) await tell(line);
  await trace.output.close();
  expect(trace.failures).toEqual([]);
  return trace;
}

const filesOf = ({ file }: Opened): string[] =>
  readdirSync(join(file, '..'))
    .map((name) => name.replace('run.trace', ''))
    .sort((one, other) => Number.parseInt(one.slice(1) || '0', 10) - Number.parseInt(other.slice(1) || '0', 10));

const EVERYTHING = { events: EVENTS.length, difference: undefined };

describe('parts that are set aside', () => {
  test('are compressed, keep their number, and are read as one trace', async () => {
    const trace = await rotated();
    const [newest, ...aside] = filesOf(trace);
    expect(newest).toBe('');
    expect(aside.length).toBeGreaterThan(5);
    expect(aside).toEqual(aside.map((_, index) => `.${index + 1}.gz`));
    expect(
      gunzipSync(readFileSync(`${trace.file}.1.gz`))
        .toString()
        .startsWith(head(0, 1)),
    ).toBe(true);
    expect(await verifyTrace(trace.file)).toMatchObject(EVERYTHING);
  });

  test('tell how much of them is read', async () => {
    const { file } = await rotated();
    const told: [number, number][] = [];
    await verifyTrace(file, (bytes, of) => told.push([bytes, of]));
    const total = readdirSync(join(file, '..')).reduce((sum, name) => sum + readFileSync(join(file, '..', name)).length, 0);
    expect(told.at(-1)).toEqual([total, total]);
    expect(told.map(([bytes]) => bytes)).toEqual(told.map(([bytes]) => bytes).sort((one, other) => one - other));
  });

  test('are exported and explained as those of a plain file are', async () => {
    const { file } = await rotated();
    const plain = written(LINES);
    expect(await explainFile(file, 'stream0')).toEqual(await explainFile(plain, 'stream0'));
    const exported = async (name: string) => {
      const output = join(scratchFolder(), 'out.json');
      await exportChrome(name, output);
      return readFileSync(output, 'utf8');
    };
    expect(await exported(file)).toBe(await exported(plain));
  });

  test('are bounded; without its start a trace is explained, and cannot be verified', async () => {
    const trace = await rotated({ parts: 3 });
    const files = filesOf(trace);
    const last = Number(files.at(-1)?.split('.')[1]);
    expect(files).toEqual(['', `.${last - 1}.gz`, `.${last}.gz`]);
    await expect(verifyTrace(trace.file)).rejects.toMatchObject({ code: 'no_start' });
    let events = 0;
    for await (const _ of readEvents(trace.file)) events += 1;
    expect(events).toBeGreaterThan(10);
    expect(events).toBeLessThan(EVENTS.length / 2);
  });

  test('are none when only the newest is kept', async () => {
    expect(filesOf(await rotated({ parts: 1 }))).toEqual(['']);
  });

  test('of another run are refused, and so is a gap', async () => {
    const { file } = await rotated();
    const { compressed } = partNames(file, 2);
    const text = gunzipSync(readFileSync(compressed)).toString();
    writeFileSync(compressed, gzipSync(text.replace('"part":1,', '"part":77,')));
    await expect(verifyTrace(file)).rejects.toThrow(/part 77 follows part 0/);
    rmSync(compressed);
    await expect(verifyTrace(file)).rejects.toThrow(/follows part 0; a part is missing/);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['overwritten', (bytes: Buffer) => bytes.fill(0, bytes.length >> 1)],
  ])('when %s, are named', async (_, damaged) => {
    const { file } = await rotated();
    const { compressed } = partNames(file, 2);
    writeFileSync(compressed, damaged(readFileSync(compressed)));
    const message = `${compressed}: it is damaged and cannot be decompressed`;
    await expect(verifyTrace(file)).rejects.toMatchObject({ code: 'malformed', message: expect.stringContaining(message) });
    await expect(exportChrome(file, join(scratchFolder(), 'out.json'))).rejects.toThrow(message);
  });

  test('are found when they were set aside and compressed while the ones before were read', async () => {
    const { trace, tell } = patient();
    let told = 0;
    for (; told < EVENTS.length && filesOf(trace).length < 2; told += 1) await tell(EVENTS[told] as string);
    let read = 0;
    for await (const _ of readEvents(trace.file)) {
      read += 1;
      for (; told < EVENTS.length; told += 1) await tell(EVENTS[told] as string);
    }
    await trace.output.close();
    expect(filesOf(trace).length).toBeGreaterThan(2);
    expect(read).toBe(EVENTS.length);
  });
});

describe('while a part is compressed', () => {
  /** A compressor that ends when it is told to. */
  function held() {
    const begun: { readonly plain: string; readonly end: () => void }[] = [];
    const compress: CompressPart = async (names, signal) => {
      await new Promise<void>((resolve) => begun.push({ plain: names.plain, end: resolve }));
      await compressPart(names, signal);
    };
    return { begun, compress };
  }

  test('the next one grows, and nothing is lost', async () => {
    const { begun, compress } = held();
    const trace = opened({ compress, maxBytes: PART_BYTES });
    let index = 0;
    const writeBytes = (bytes: number) => {
      for (let written = 0; written < bytes; index += 1) {
        write(trace, EVENTS[index] as string);
        written += (EVENTS[index] as string).length;
      }
    };
    writeBytes(3 * PART_BYTES);
    expect(begun.map(({ plain }) => plain)).toEqual([`${trace.file}.1`]);
    expect(filesOf(trace)).toEqual(['', '.1']);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: index, difference: undefined });
    begun[0]?.end();
    await expect.poll(() => filesOf(trace)).toEqual(['', '.1.gz']);
    await turn();
    writeBytes(1);
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    await trace.output.close();
    expect(trace.failures).toEqual([]);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: index, difference: undefined });
  });

  test('for ever, the trace ends before the disk is full', async () => {
    const { begun, compress } = held();
    const trace = opened({ compress, maxBytes: 1000 });
    for (const line of EVENTS) write(trace, line);
    begun[0]?.end();
    await trace.output.close();
    expect(trace.failures).toHaveLength(1);
    expect(String(trace.failures[0])).toContain('the one before is still not compressed');
    expect(readFileSync(trace.file).length).toBeLessThan(4 * 1000 + Math.max(...LINES.map(({ length }) => length)));
  });

  test('closed, it waits until the compressor has given up', async () => {
    let ended = false;
    const compress: CompressPart = async (_names, signal) => {
      await once(signal, 'abort');
      await turn();
      ended = true;
      throw signal.reason;
    };
    const trace = opened({ ...TWO_PARTS, compress });
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    expect(ended).toBe(true);
    expect(trace.failures).toEqual([]);
  });

  test('closed, it leaves the plain part whole, nothing half done and no file open', async () => {
    const trace = opened(TWO_PARTS);
    for (const line of EVENTS) write(trace, line); // in one go: nothing was read or written by the compressor yet
    expect(filesOf(trace)).toEqual(['', '.1']);
    await trace.output.close();
    expect(filesOf(trace)).toEqual(['', '.1']);
    expect(trace.failures).toEqual([]);
    expect(openFiles().filter((name) => name.startsWith(trace.file))).toEqual([]);
    expect(await verifyTrace(trace.file)).toMatchObject(EVERYTHING);
  });

  function openFiles(): string[] {
    return readdirSync('/proc/self/fd').flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/self/fd/${descriptor}`)];
      } catch {
        return []; // that of the folder itself
      }
    });
  }
});

describe('a crash', () => {
  test('while a part is compressed: the plain one counts', async () => {
    const trace = opened(TWO_PARTS);
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    const { plain, compressed, half } = partNames(trace.file, 1);
    writeFileSync(half, gzipSync(readFileSync(plain)).subarray(0, 50));
    expect(await verifyTrace(trace.file)).toMatchObject(EVERYTHING);
    writeFileSync(compressed, gzipSync(readFileSync(plain))); // and before the plain one was removed
    expect(await verifyTrace(trace.file)).toMatchObject(EVERYTHING);
  });

  test('before the next part is begun: those that are there are read', async () => {
    const trace = await rotated();
    const events = readFileSync(trace.file, 'utf8').trimEnd().split('\n').length - 1;
    rmSync(trace.file);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: EVENTS.length - events, difference: undefined });
  });

  test.each([0, 1, 300])('with %d bytes of the newest part written: those before are read', async (bytes) => {
    const trace = await rotated();
    const newest = readFileSync(trace.file, 'utf8');
    writeFileSync(trace.file, newest.slice(0, bytes));
    const events = newest.trimEnd().split('\n').length - 1;
    expect(await verifyTrace(trace.file)).toMatchObject({ events: EVENTS.length - events, difference: undefined });
  });

  test('leaves what is half done to the next run, which removes it', async () => {
    const trace = await rotated();
    const { half } = partNames(trace.file, 9);
    for (const bytes of [0, 5, 12, 200]) {
      writeFileSync(half, gzipSync(LINES.join('')).subarray(0, bytes));
      await openedAt(trace.file).output.close();
      expect(existsSync(half)).toBe(false);
    }
  });
});

describe('a run before', () => {
  /** One more run under the same name. @returns the part that the one before it ended with. */
  async function again({ file }: Opened, lines: readonly string[], options: Partial<RotatingFileOptions> = {}) {
    const { trace, tell } = patient(options, file);
    for (const line of lines) await tell(line);
    await trace.output.close();
    expect(trace.failures).toEqual([]);
    return trace.output.former ?? '';
  }
  const HALF = EVENTS.slice(0, EVENTS.length / 2);

  test('stays whole, and is read by its last part', async () => {
    const trace = await rotated();
    const former = await again(trace, HALF, { maxBytes: HALF.join('').length / 1.5 });
    expect(await verifyTrace(trace.file)).toMatchObject({ events: HALF.length, difference: undefined });
    expect(await verifyTrace(former)).toMatchObject(EVERYTHING);
    const second = await again(trace, [], { parts: 1000 });
    expect(await verifyTrace(trace.file)).toMatchObject({ events: 0 });
    expect(await verifyTrace(second)).toMatchObject({ events: HALF.length, difference: undefined });
    expect(await verifyTrace(former)).toMatchObject(EVERYTHING);
    expect(await explainFile(second, 'stream0')).toEqual(await explainFile(written([HEAD, ...HALF]), 'stream0'));
  });

  test('that was killed within a line, or had written nothing, is read as well', async () => {
    const trace = opened({ maxBytes: Number.POSITIVE_INFINITY });
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    writeFileSync(trace.file, readFileSync(trace.file, 'utf8').slice(0, -7));
    const killed = await again(trace, []);
    expect(await verifyTrace(killed)).toMatchObject({ events: EVENTS.length - 1, difference: undefined });
    writeFileSync(trace.file, '');
    expect(await again(trace, HALF)).toMatch(/\.1(\.gz)?$/);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: HALF.length, difference: undefined });
  });

  test('of an earlier version is kept the same way', async () => {
    const trace = await rotated();
    for (const name of filesOf(trace)) {
      const file = `${trace.file}${name}`;
      const earlier = (text: string) => text.replace('"vig_trace":2', '"vig_trace":1');
      const text = readFileSync(file);
      if (name === '') writeFileSync(file, earlier(text.toString()));
      else writeFileSync(file, gzipSync(earlier(gunzipSync(text).toString())));
    }
    expect(await verifyTrace(await again(trace, HALF))).toMatchObject(EVERYTHING);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: HALF.length, difference: undefined });
  });

  test('counts with its parts, so that a node that starts over and over is bounded, too', async () => {
    const trace = opened();
    write(trace, EVENTS[0] as string);
    await trace.output.close();
    for (let run = 0; run < 9; run += 1) await again(trace, EVENTS.slice(0, 2), { parts: 4 });
    const numbers = filesOf(trace).flatMap((name) => name.match(/\d+/g) ?? []);
    expect(numbers).toEqual(['7', '8', '9']);
  });

  test('counts by its parts, not by their numbers: a copy with a higher one drives nothing out', async () => {
    const trace = await rotated();
    const before = filesOf(trace);
    copyFileSync(`${trace.file}.1.gz`, `${trace.file}.500.gz`);
    await again(trace, EVENTS.slice(0, 2));
    expect(filesOf(trace)).toEqual([...before, '.500.gz', expect.stringMatching(/^\.501(\.gz)?$/)]);
  });

  test('stays until the next one is full where one part is kept', async () => {
    const trace = opened({ parts: 1, maxBytes: Number.POSITIVE_INFINITY });
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    expect(await verifyTrace(await again(trace, HALF, { parts: 1, maxBytes: Number.POSITIVE_INFINITY }))).toMatchObject(EVERYTHING);
    await again(trace, HALF, { parts: 1 });
    expect(filesOf(trace)).toEqual(['']);
  });

  test('of a node is left to it by a simulation under its name, which is read alone', async () => {
    const trace = await rotated();
    const before = filesOf(trace);
    new WholeTrace(trace.file, (await readHead(trace.file)).configuration).close();
    expect(filesOf(trace)).toEqual(before);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: 0 });
  });
});

describe('a file that is no trace stays as it is', () => {
  const TEXT = 'notes of mine\n';
  const others: [string, string | Buffer][] = [
    ['', TEXT],
    ['.1', TEXT],
    ['.2.gz', gzipSync(TEXT)],
    ['.3.gz', TEXT],
    ['.4.gz.tmp', TEXT],
  ];

  test.each(others)('run.trace%s: a run under its name is refused', async (name, content) => {
    const { file } = await rotated({ maxBytes: Number.POSITIVE_INFINITY });
    writeFileSync(`${file}${name}`, content);
    const before = readdirSync(join(file, '..')).map((one) => readFileSync(join(file, '..', one)));
    expect(() => openedAt(file)).toThrow(`${file}${name}: is there already, and is no trace; name another trace.file, or move it away`);
    expect(readdirSync(join(file, '..')).map((one) => readFileSync(join(file, '..', one)))).toEqual(before);
    expect(await whyNotReplaceable(file)).toBe(name === '' ? 'is there already, and is no trace; name another file' : undefined);
  });

  test('where its name is not that of a part, it is in nobody’s way', async () => {
    const trace = await rotated();
    const names = ['.old', '.20240501120000', '.1.gz.bak', '.01'];
    for (const name of names) writeFileSync(`${trace.file}${name}`, TEXT);
    await openedAt(trace.file, { parts: 2 }).output.close();
    for (const name of names) expect(readFileSync(`${trace.file}${name}`, 'utf8')).toBe(TEXT);
  });

  test.each(others.slice(1, 3))('run.trace%s, made meanwhile: the trace ends', async (name, content) => {
    const trace = opened();
    writeFileSync(`${trace.file}${name}`, content);
    if (name === '.2.gz') {
      while (filesOf(trace).length < 3) write(trace, EVENTS[0] as string);
      await expect.poll(() => existsSync(`${trace.file}.1.gz`)).toBe(true);
      await turn();
    }
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    expect(trace.failures.map(String)).toEqual([expect.stringContaining(`${trace.file}${name}: is in the way of the next part`)]);
    expect(readFileSync(`${trace.file}${name}`).equals(Buffer.from(content))).toBe(true);
  });

  test('put in the place of the newest part: the trace ends', async () => {
    const trace = opened();
    rmSync(trace.file);
    writeFileSync(trace.file, TEXT);
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    expect(trace.failures.map(String)).toEqual([expect.stringContaining('it was moved, or something else took its place')]);
    expect(filesOf(trace)).toEqual(['']);
    expect(readFileSync(trace.file, 'utf8')).toBe(TEXT);
  });

  test('what is in a device cannot be set aside', async () => {
    const file = join(scratchFolder(), 'run.trace');
    symlinkSync('/dev/null', file);
    const trace = openedAt(file, { maxBytes: 10 });
    for (const line of EVENTS) write(trace, line);
    await trace.output.close();
    expect(trace.failures).toEqual([]);
    expect(filesOf(trace)).toEqual(['']);
  });
});

describe('a disk that is full ends the trace and nothing else', () => {
  test('told once, when a line cannot be written', () => {
    const { output, failures } = openedAt('/dev/full', { head: () => '' });
    const writer = new TraceWriter(output);
    for (let event = 0; event < 5; event += 1) {
      writer.record({ type: 'tick' }, millis(event), []);
      output.flush();
    }
    expect(failures).toHaveLength(1);
    expect(String(failures[0])).toContain('ENOSPC');
  });

  test('told once, when a part cannot be compressed, which stays as it is', async () => {
    const full: CompressPart = (names, signal) => {
      symlinkSync('/dev/full', names.half);
      return compressPart(names, signal);
    };
    const trace = opened({ compress: full });
    let told = 0;
    for (; told < EVENTS.length && filesOf(trace).length < 2; told += 1) write(trace, EVENTS[told] as string);
    await expect.poll(() => trace.failures).toHaveLength(1);
    for (const line of EVENTS.slice(told)) write(trace, line);
    await trace.output.close();
    expect(trace.failures).toHaveLength(1);
    expect(String(trace.failures[0])).toContain('ENOSPC');
    expect(filesOf(trace)).toEqual(['', '.1']);
    expect(await verifyTrace(trace.file)).toMatchObject({ events: told, difference: undefined });
  });

  test('a simulation whose trace cannot be written fails', () => {
    const { file } = opened();
    const trace = new WholeTrace(file, JSON.parse(HEAD).configuration);
    trace.close();
    expect(existsSync(file)).toBe(true);
    expect(() => new WholeTrace('/dev/full', JSON.parse(HEAD).configuration)).toThrow(/\/dev\/full cannot be written: .*ENOSPC/);
  });
});

test('a trace that was compressed by hand is read as well', async () => {
  const file = `${written(LINES)}.gz`;
  writeFileSync(file, gzipSync(LINES.join('')));
  expect(await verifyTrace(file)).toMatchObject(EVERYTHING);
});
