import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../src/decide/event-schema.js';
import { EXPECTATION_KINDS } from '../../src/decide/expectation-schema.js';
import { listing } from '../../src/decide/listing.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/decide.md'), 'utf8');

test('the script in docs/decide.md gives the listing beneath it', () => {
  const [, script = '', output = ''] = /```yaml\n([\s\S]*?)```\n```\n([\s\S]*?)```/.exec(TEXT) ?? [];
  const decided = runScript(parseScript(script, 'docs/decide.md'));
  expect(listing(decided)).toBe(output);
  expect(decided.differences).toEqual([]);
});

test('docs/decide.md knows every event and every expectation', () => {
  for (const kind of [...EVENT_KINDS, ...EXPECTATION_KINDS]) expect(TEXT).toContain(`\`${kind}: `);
});
