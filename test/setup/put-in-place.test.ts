import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putInPlace } from '../../setup/lib/put-in-place.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-place-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);
function make(name: string, text: string): string {
  mkdirSync(at(name));
  writeFileSync(path.join(at(name), 'main.js'), text);
  return at(name);
}
const inPlace = () => readFileSync(at('dist/main.js'), 'utf8');

it('takes a place, whether it is empty or not, and leaves nothing beside it', () => {
  for (const text of ['first', 'second']) {
    putInPlace(make('new', text), at('dist'));
    expect(inPlace()).toBe(text);
    expect(readdirSync(folder)).toEqual(['dist']);
  }
});

it('leaves the former where it was when there is nothing to take its place', () => {
  make('dist', 'former');
  expect(() => putInPlace(at('new'), at('dist'))).toThrow('ENOENT');
  expect(inPlace()).toBe('former');
});

it('is not disturbed by what an attempt that was killed left behind', () => {
  make('new.former', 'of the attempt');
  make('dist', 'former');
  putInPlace(make('new', 'new'), at('dist'));
  expect(inPlace()).toBe('new');
  expect(readdirSync(folder)).toEqual(['dist']);
});
