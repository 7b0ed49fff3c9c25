import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../src/files/file-lock.js';
import { faultOf } from '../../src/files/targets.js';
import { whyNotReplaceable } from '../../src/trace/own-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-targets-'));
  writeFileSync(at('source'), 'kept');
  mkdirSync(at('sub'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);
const html = (name: string) => ({ option: '--html', path: at(name) });
const trace = (name: string) => ({ option: '--trace', path: at(name) });
const SOURCE = () => [{ what: 'what is read', path: at('source') }];

describe('a target', () => {
  it.each([
    ['by its name', 'source', () => {}],
    ['by another way', 'sub/../source', () => {}],
    ['by a link', 'link', () => symlinkSync('source', at('link'))],
    ['by another name of the file', 'hard', () => linkSync(at('source'), at('hard'))],
    ['through a link to its folder', 'here/source', () => symlinkSync('.', at('here'))],
  ])('is no source, %s', async (_, name, prepare) => {
    prepare();
    for (const target of [`${folder}/${name}`, path.relative(process.cwd(), `${folder}/${name}`)])
      expect(await faultOf([{ option: '--html', path: target }], SOURCE())).toBe(`--html ${target}: is what is read; name another file`);
    expect(readFileSync(at('source'), 'utf8')).toBe('kept');
  });

  it('takes the place of a former trace, and of nothing else, where it is a trace', async () => {
    const target = { ...trace('run'), whyNotReplaceable };
    for (const former of [undefined, '', '{"vig_trace":1,"part":0}\n', gzipSync('{"vig_trace":2,"part":0}\n')]) {
      if (former !== undefined) writeFileSync(at('run'), former);
      expect(await faultOf([target], [])).toBeUndefined();
    }
    const release = await lockFile(at('run.lock'));
    expect(await faultOf([target], [])).toBe(`--trace ${at('run')}: is being written by a running node; name another file`);
    release?.();
    for (const other of ['notes', gzipSync('notes'), '{"vig": 1}']) {
      writeFileSync(at('run'), other);
      expect(await faultOf([target], [])).toBe(`--trace ${at('run')}: is there already, and is no trace; name another file`);
    }
  });

  it('is no other target, also where nothing is there yet', async () => {
    expect(await faultOf([html('new'), trace('sub/../new')], [])).toMatch(/^--trace .*: is what --html writes/);
    symlinkSync('new', at('one'));
    symlinkSync('./new', at('two'));
    expect(await faultOf([html('one'), trace('two')], [])).toMatch(/^--trace .*: is what --html writes/);
    expect(await faultOf([html('new'), { ...trace('new'), isFolder: true }], [])).toMatch(/is what --html writes/);
  });

  it.each([
    ['a folder', 'sub', /is a folder; name a file in it/],
    ['in no folder', 'nowhere/file', /cannot write to .*nowhere: it does not exist/],
    ['in a file', 'source/file', /cannot write to .*source: it does not exist, is no folder/],
  ])('is not %s', async (_, name, words) => expect(await faultOf([html(name)], [])).toMatch(words));

  it('may be new, a file of earlier, the same device twice, or none at all', async () => {
    writeFileSync(at('earlier'), 'gone');
    const device = { option: '--html', path: '/dev/null' };
    const none = { option: '--plot', path: undefined };
    expect(await faultOf([html('new'), trace('earlier'), none], SOURCE())).toBeUndefined();
    expect(await faultOf([device, { ...device, option: '--trace' }], [{ what: 'a source', path: '/dev/null' }])).toBeUndefined();
  });
});
