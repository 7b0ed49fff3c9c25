import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const RUNBOOK = 'docs/runbook.md';
/** How others name a heading: docs/runbook.md#a-slot-is-held, or within docs and the runbook without the folder or the file. */
const NAMED = /(?:runbook\.md)#([a-z0-9-]*)/g;
const WITHIN = /\]\(#([a-z0-9-]*)\)/g;

/** As GitHub makes them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

const text = readFileSync(RUNBOOK, 'utf8');
const anchors = new Set([...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

function named(places: readonly string[], pattern: RegExp): string[] {
  return places.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, anchor]) => `${file}: ${anchor}`));
}

function files(folder: string, ending: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

const isMissing = (place: string): boolean => !anchors.has(place.split(': ')[1] ?? '');

test('every heading of the runbook that a hint, a log line or a document names is there', () => {
  const hints = named(files('src', '.ts'), NAMED);
  expect(hints.length).toBeGreaterThan(5);
  const documents = named([...files('docs', '.md'), ...files('adr', '.md'), 'README.md', 'CHANGELOG.md'], NAMED);
  expect([...hints, ...documents, ...named([RUNBOOK], WITHIN)].filter(isMissing)).toEqual([]);
});

test('README and the reasons lead to the runbook', () => {
  for (const file of ['README.md', 'docs/reasons.md']) expect(readFileSync(file, 'utf8')).toContain('runbook.md');
});
