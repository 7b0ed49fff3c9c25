import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LearnedVariant } from '../../src/core/learned.js';
import { LearnedFile } from '../../src/service/learned-file.js';

const LEARNED: readonly LearnedVariant[] = [
  {
    backend: 'gpu',
    model: 'detector',
    variant: 'full',
    fingerprint: 'centerface: no profile +0',
    occupancies: [{ occupancy: 0, marginPercent: 119.9, runtimesUs: [9000, 9100] }],
  },
];

let folder: string;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-learned-'));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name = 'learned.json'): LearnedFile {
  return new LearnedFile(
    path.join(folder, name),
    pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) }),
  );
}

it('reads back what it wrote, and leaves nothing else behind', () => {
  file().write([]);
  file().write(LEARNED);
  expect(file().read()).toEqual(LEARNED);
  expect(readdirSync(folder)).toEqual(['learned.json']);
  expect(warnings).toEqual([]);
});

it('goes where a link leads, and the link stays', () => {
  symlinkSync('state.json', path.join(folder, 'link.json'));
  for (const learned of [[], LEARNED]) file('link.json').write(learned);
  expect(file('state.json').read()).toEqual(LEARNED);
  expect(lstatSync(path.join(folder, 'link.json')).isSymbolicLink()).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(['link.json', 'state.json']);
});

it('starts with nothing where there is no file, without a word', () => {
  expect(file().read()).toEqual([]);
  expect(warnings).toEqual([]);
});

it.each([
  ['no JSON', '{'],
  ['another version', '{"version": 2, "variants": []}'],
  ['a runtime that is none', JSON.stringify({ version: 1, variants: LEARNED }).replace('9000', '-1')],
  ['more runtimes than are kept', JSON.stringify({ version: 1, variants: LEARNED }).replace('9000', Array(64).fill(9000).join(','))],
])('starts with nothing and a warning on %s', (_, text) => {
  writeFileSync(path.join(folder, 'learned.json'), text);
  expect(file().read()).toEqual([]);
  expect(warnings).toEqual(['learning.state_file cannot be read; learning starts anew']);
});

it('warns when it cannot write, and keeps the old state', () => {
  file('no/such/folder.json').write(LEARNED);
  expect(warnings).toEqual(['learning.state_file cannot be written; what was learned is lost at the end']);
  file().write(LEARNED);
  const before = readFileSync(path.join(folder, 'learned.json'), 'utf8');
  file('learned.json/below').write([]);
  expect(readFileSync(path.join(folder, 'learned.json'), 'utf8')).toBe(before);
});
