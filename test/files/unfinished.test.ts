import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Unfinished, writeWhole, writeWholeNow } from '../../src/files/unfinished.js';
import { WriteError } from '../../src/files/write-error.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-unfinished-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);
const content = (name: string) => readFileSync(at(name), 'utf8');

describe('what is unfinished', () => {
  it('has its name once it is kept, and until then the name holds what it held', () => {
    writeFileSync(at('report'), 'old');
    const unfinished = new Unfinished(at('report'));
    writeFileSync(unfinished.path, 'new');
    expect(content('report')).toBe('old');
    unfinished.keep();
    expect(content('report')).toBe('new');
    unfinished.discard(); // too late
    expect(readdirSync(folder)).toEqual(['report']);
  });

  it('leaves nothing when it is discarded, be it a file or a folder', () => {
    const [file, bag] = [new Unfinished(at('file')), new Unfinished(at('bag'))];
    writeFileSync(file.path, 'half');
    mkdirSync(bag.path);
    writeFileSync(path.join(bag.path, 'part'), 'half');
    for (const unfinished of [file, bag]) unfinished.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is nowhere when it cannot be put in its place', () => {
    const bag = new Unfinished(at('bag'));
    mkdirSync(bag.path);
    mkdirSync(at('bag'));
    writeFileSync(at('bag/of-somebody'), 'kept');
    expect(() => bag.keep()).toThrow(WriteError);
    expect(readdirSync(folder)).toEqual(['bag']);
    expect(content('bag/of-somebody')).toBe('kept');
  });

  it('goes where a link leads, and the link stays', async () => {
    mkdirSync(at('sub'));
    symlinkSync('sub/report', at('link'));
    for (const text of ['first', 'second']) {
      await writeWhole(at('link'), text);
      expect(content('sub/report')).toBe(text);
    }
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readdirSync(at('sub'))).toEqual(['report']);
  });

  it('is written within one turn, with nothing left of it when that fails, and signals are heard as before', () => {
    const listeners = (): number[] => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name));
    const before = listeners();
    writeWholeNow(at('state'), 'new');
    expect(content('state')).toBe('new');
    mkdirSync(at('folder'));
    writeFileSync(at('folder/of-somebody'), 'kept');
    for (const place of ['folder', 'no/such/folder']) expect(() => writeWholeNow(at(place), 'new')).toThrow(WriteError);
    expect(readdirSync(folder).sort()).toEqual(['folder', 'state']);
    expect(listeners()).toEqual(before);
  });

  it('is written at once where nothing can be renamed to: a device', async () => {
    expect(new Unfinished('/dev/null').path).toBe('/dev/null');
    await writeWhole('/dev/null', 'text');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    await expect(writeWhole('/dev/full', 'text')).rejects.toThrow(/^\/dev\/full cannot be written: ENOSPC/);
  });

  it('has a folder', () => {
    expect(() => new Unfinished(at('nowhere/report'))).toThrow(/nowhere\/report cannot be written: ENOENT/);
  });
});
