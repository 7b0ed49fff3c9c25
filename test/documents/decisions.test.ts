import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FIELDS } from '../../src/config/fields.js';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';
import { decisionPictures } from '../../src/documents/decision-pictures.js';
import { scriptTimeline } from '../../src/documents/script-timeline.js';

const FOLDER = 'docs/decisions';
const TEXT = readFileSync('docs/decisions.md', 'utf8');
const PICTURES = decisionPictures(FOLDER);
const MAX_LENGTH = 20_000;

describe.each(PICTURES)('the picture of $name', ({ name, svg, differences }) => {
  test('is up to date (npm run docs), and small', () => {
    expect(readFileSync(`${FOLDER}/${name}.svg`, 'utf8')).toBe(svg);
    expect(svg.length).toBeLessThan(MAX_LENGTH);
  });

  test('shows what its script says', () => {
    expect(differences).toEqual([]);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('stands in the document with its script', () => {
    expect(TEXT).toContain(`](decisions/${name}.svg)`);
    expect(TEXT).toContain(`[${name}.yaml](decisions/${name}.yaml)`);
  });
});

describe('docs/decisions.md', () => {
  test('names files that there are', () => {
    const linked = [...TEXT.matchAll(/\]\(decisions\/([^)]+)\)/g)].map(([, file]) => file);
    expect(readdirSync(FOLDER).sort()).toEqual([...new Set(linked)].sort());
  });

  test('names sections that there are', () => {
    const anchors = [...TEXT.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor] of TEXT.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });

  test('names causes that there are', () => {
    for (const [, state, cause = ''] of TEXT.matchAll(/`([a-z_]+)\/([a-z_]+)`/g)) {
      expect(Object.keys(CAUSES)).toContain(cause);
      expect(CAUSES[cause as Cause].state).toBe(state);
    }
  });

  test('names parameters that there are', () => {
    const known = new Set(FIELDS.flatMap(({ path }) => path));
    const sections = TEXT.split('**Parameters.**')
      .slice(1)
      .map((section) => section.split('**You see.**')[0] ?? '');
    for (const section of sections) {
      for (const [, name = ''] of section.matchAll(/`([a-z][a-z0-9_.*]*_[a-z0-9_]+)/g)) {
        for (const key of name.split('.')) expect(key === 'never_drop' || known.has(key), `${key} of ${name}`).toBe(true);
      }
    }
  });
});

test('a timeline tells arrival, waiting, execution and end of each request', () => {
  const script = parseScript(
    `backend: {slots: 1, pipelining_depth: 1, pipelining_lead_ms: 2}
streams:
  a: {queue: {policy: fifo, capacity: 2}, contract: {deadline_ms: 15, max_age_ms: 100}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 10}}}
events:
  - {at_ms: 0, arrive: a, id: x, runtime_ms: 11, repeat: {times: 2, every_ms: 1}}
  - {at_ms: 3, arrive: a, id: open}
`,
    's.yaml',
  );
  const { requests, fromMs, toMs } = scriptTimeline(script, runScript(script));
  expect(requests).toMatchObject([
    { id: 'x.1', arrivalMs: 0, runs: [{ sentMs: 0, fromMs: 0, toMs: 11 }], endMs: 11, state: 'delivered', late: false },
    { id: 'x.2', arrivalMs: 1, runs: [{ sentMs: 8, fromMs: 11, toMs: 22 }], endMs: 22, state: 'delivered', late: true },
    { id: 'open', arrivalMs: 3, runs: [{ sentMs: 19, fromMs: 22 }] },
  ]);
  expect([fromMs, toMs]).toEqual([0, 22]);
});
