/** How commands end: what a script, a shell and a person at a terminal rely on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import zstd from '@foxglove/wasm-zstd';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignBag } from '../replay/foreign.js';
import { type MadeMessage, madeBag } from '../replay/made-bag.js';
import { makeSqlite } from '../replay/made-sqlite.js';
import { parametersFor } from '../replay/parameters.js';
import { TWO_STREAMS } from '../simulator/scenarios.js';
import { startVig, VIG } from '../support/vig-process.js';

const BAG = foreignBag('zstd.mcap');
let folder = '';
let parameters = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-process-'));
  parameters = file('p.yaml', parametersFor());
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const there = path.join(folder, name);
  writeFileSync(there, content);
  return there;
}

const replay = (...options: readonly string[]) => ['replay', BAG, '--params', parameters, ...options];

describe('what nobody foresaw has status 4, whatever the command found', () => {
  it('a full disk behind the standard output', async () => {
    const full = openSync('/dev/full', 'w');
    const { ended } = startVig(replay('--json', '--fail-if', 'streams.camera.received>0'), { stdio: ['ignore', full, 'pipe'] });
    const { error, status } = await ended;
    expect(error).toMatch(/^vig: the standard output cannot be written: ENOSPC.*$/m);
    expect(error).not.toMatch(/^ +at /m);
    expect(status).toBe(4);
  });

  it('a full disk behind a file, which is named', async () => {
    const { error, status } = await startVig(replay('--html', '/dev/full')).ended;
    expect(error).toMatch(/^vig: \/dev\/full cannot be written: .*ENOSPC.*\n$/);
    expect(status).toBe(4);
  });

  it('no folder for what has to be unpacked', async () => {
    const { error, status } = await startVig(replay(), { env: { ...process.env, TMPDIR: '/nowhere' } }).ended;
    expect(error).toMatch(/^vig: .*TMPDIR.* \/nowhere cannot be written: ENOENT.*\n$/);
    expect(status).toBe(4);
  });

  it('and a reader that has seen enough changes nothing', async () => {
    const { child, ended } = startVig(replay('--html', path.join(folder, 'page.html'), '--fail-if', 'streams.camera.received>0'));
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ status: 1, error: expect.stringMatching(/^vig replay: --fail-if .*\n$/) });
    expect(readFileSync(path.join(folder, 'page.html'), 'utf8')).toContain('</html>');
  });
});

describe('an interruption', () => {
  const regular = (count: number, gapMs = 0): readonly MadeMessage[] =>
    Array.from({ length: count }, (_, number) => number * 8 + (number < count / 2 ? 0 : gapMs)).map((logMs) => ({
      topic: '/camera/image_raw',
      logMs,
      stampMs: logMs - 5,
    }));

  it.each([
    ['a long sqlite3 bag', 'SIGINT', '--trace', async () => makeSqlite(path.join(folder, 'bag'), regular(50_000))],
    ['a gap of days', 'SIGTERM', '--output', async () => file('bag', await madeBag(regular(100, 30 * 86_400_000)))],
  ] as const)(
    'is heard in the middle of %s',
    async (_what, signal, option, make) => {
      await make();
      const before = readdirSync(folder);
      const { child, ended } = startVig(['replay', path.join(folder, 'bag'), '--params', parameters, option, path.join(folder, 'out')], {
        env: { ...process.env, TMPDIR: folder },
      });
      await expect.poll(() => readdirSync(folder).some((name) => name.startsWith('out.unfinished')), { timeout: 50_000 }).toBe(true);
      child.kill(signal);
      expect(await ended).toMatchObject({ out: '', status: 128 + constants.signals[signal] });
      expect(readdirSync(folder)).toEqual(before);
    },
    60_000,
  );

  it('is heard in the middle of a simulation that is traced', async () => {
    const scenario = file('s.yaml', TWO_STREAMS.replace(/run_ms: \d+/, 'run_ms: 600000'));
    const before = readdirSync(folder);
    const { child, ended } = startVig(['simulate', scenario, '--policies', 'governor', '--trace', path.join(folder, 'trace')]);
    await expect.poll(() => readdirSync(folder).some((name) => name.startsWith('trace.unfinished')), { timeout: 50_000 }).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ out: '', status: 128 + constants.signals.SIGINT });
    expect(readdirSync(folder)).toEqual(before);
  }, 60_000);

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s leaves nothing half done',
    async (signal) => {
      const topics = [0, 1, 2, 3].map((number) => `/cam${number}`);
      const messages = Array.from({ length: 40_000 }, (_, number) => {
        const logMs = number * 8;
        return { topic: topics[number % topics.length] ?? '', logMs, stampMs: logMs - 5 };
      });
      await zstd.isLoaded;
      const bag = file('long.mcap.zstd', zstd.compress(await madeBag(messages), 1));
      const text = parametersFor({ policy: 'planned' }).replace('/camera/image_raw', '/cam0').replace('/camera/compressed', '/cam1');
      const temporary = path.join(folder, 'tmp');
      mkdirSync(temporary);
      const yesterdays = '{"vig_trace":"of yesterday"}';
      const page = file('page.html', yesterdays);
      const trace = file('run.trace', yesterdays);
      const output = path.join(folder, 'out');
      const before = [...readdirSync(folder), 'planned.yaml'].sort();
      const { child, ended } = startVig(
        ['replay', bag, '--params', file('planned.yaml', text), '--html', page, '--trace', trace, '--output', output],
        { env: { ...process.env, TMPDIR: temporary } },
      );
      await expect.poll(() => readdirSync(folder).filter((name) => name.includes('unfinished')).length, { timeout: 50_000 }).toBe(2);
      expect(readdirSync(temporary)).toHaveLength(1);
      child.kill(signal);
      const { error, status } = await ended;
      expect(error).toMatch(new RegExp(`^${signal}: .*nothing half done\\n$`));
      expect(status).toBe(128 + constants.signals[signal]);
      expect(readdirSync(temporary)).toEqual([]);
      expect(readdirSync(folder).sort()).toEqual(before);
      expect([page, trace].map((name) => readFileSync(name, 'utf8'))).toEqual([yesterdays, yesterdays]);
    },
    60_000,
  );
});

it('gives the same bytes in another process, folder, time zone and language', async () => {
  const results = ['page.html', 'run.trace', 'out/metadata.yaml', 'out/replay_0.mcap'];
  const run = async (name: string, cwd: string, env: Readonly<Record<string, string>>) => {
    const place = path.join(folder, name);
    mkdirSync(place);
    const options = ['--html', 'page.html', '--trace', 'run.trace', '--output', 'out'].map((text) =>
      text.startsWith('--') ? text : path.join(place, text),
    );
    const { out, status } = await startVig(replay('--json', ...options), { cwd, env: { ...process.env, ...env } }).ended;
    expect(status).toBe(0);
    return [out, ...results.map((result) => readFileSync(path.join(place, result), 'latin1'))];
  };
  const here = await run('one', process.cwd(), { TZ: 'UTC', LC_ALL: 'C' });
  const elsewhere = await run('two', folder, { TZ: 'Asia/Kathmandu', LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' });
  for (const [index, bytes] of here.entries()) expect(elsewhere[index] === bytes, ['report', ...results][index]).toBe(true);
});

it('reads parameters from pipes', async () => {
  const shell = 'first=$1 second=$2; shift 2; cat "$first" | "$@" --params /dev/stdin --params <(cat "$second")';
  const half = file('half.yaml', 'governor: {ros__parameters: {streams: {camera: {contract: {max_age_ms: 1.0}}}}}\n');
  const command = [...VIG, 'replay', BAG, '--json'];
  const { streams } = JSON.parse(execFileSync('bash', ['-c', shell, 'bash', parameters, half, ...command], { encoding: 'utf8' }));
  expect(streams.imu.outcomes.delivered).toBeGreaterThan(0);
  expect(streams.camera.outcomes.delivered).toBe(0);
});
