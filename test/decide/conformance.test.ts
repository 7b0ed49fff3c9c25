import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { CLOCK_ORIGIN_US } from '../../src/core/units.js';
import type { DecisionLine } from '../../src/decide/decision-line.js';
import { runScript } from '../../src/decide/run-script.js';
import { readScript } from '../../src/decide/script-file.js';
import { runLive } from './live-run.js';

const FOLDER = join(import.meta.dirname, '../conformance');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

const scripts = FILES.map((name) => {
  const script = readScript(join(FOLDER, name));
  return { name, script, decided: runScript(script) };
});

describe('the core decides as the scripts say', () => {
  test.each(scripts)('$name', ({ script, decided }) => {
    expect(decided.differences).toEqual([]);
    expect(script.expect.length + script.never.length).toBeGreaterThan(0);
  });
});

describe('the live actor does what the core decides', () => {
  test.each(scripts.filter(({ script }) => !(script.configuration instanceof ConfigurationError)))('$name', ({ script, decided }) => {
    const live = runLive(script);
    const lines = decided.lines.map(({ line }) => line);
    const at = ({ at_ms: ms }: DecisionLine) => CLOCK_ORIGIN_US + Math.round(ms * 1000);
    const of = (action: string) => lines.filter((line) => line.action === action);
    expect(live.outcomes).toEqual(of('outcome').map((line) => `${at(line)} ${line.id} ${String(line['state'])}/${String(line['cause'])}`));
    expect(live.calls).toEqual(
      of('dispatch').map(
        (line) =>
          `${at(line)} ${line.id} ${String(line['stream'])} ${String(line['backend'])}/${String(line['backend_model'])}${tokensOf(line)}`,
      ),
    );
    const withResult = of('outcome').filter((line) => line['state'] === 'delivered' || line['state'] === 'obsolete');
    expect(live.results).toEqual(withResult.map((line) => line.id));
  });
});

test('each cause that the core can give is reached by a script', () => {
  const before = (cause: Cause) => CAUSES[cause].state === 'invalid' || cause === 'inactive' || cause === 'no_clock';
  const reached = new Set(scripts.flatMap(({ decided }) => decided.lines.map(({ line }) => line['cause'])));
  expect((Object.keys(CAUSES) as Cause[]).filter((cause) => !before(cause) && !reached.has(cause))).toEqual([]);
});

function tokensOf({ tokens }: DecisionLine): string {
  return tokens === undefined ? '' : ` ${String(tokens)} tokens`;
}
