/** `vig demo` as a person starts it: what it says at the end, and what it leaves behind. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { STATES } from '../../src/core/catalogue.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VIG = path.join(ROOT, 'bin/vig');
const CLI = path.join(ROOT, 'dist/cli/main.js');
const TEST_LIMIT_MS = 240_000;

const count = z.int().min(0);
const age = z.number().min(0).nullable();
const streamReport = z.strictObject({
  received: count.min(1),
  outcomes: z.strictObject(Object.fromEntries(Object.keys(STATES).map((state) => [state, count]))),
  causes: z.record(z.string(), count),
  age_ms: z.strictObject({ p50: age, p95: age, max: age }),
  contract: z.strictObject({ max_age_ms: z.number() }),
  lost_before_node: count,
});
const arm = {
  governor: z.boolean(),
  seconds: z.number(),
  valid: z.literal(true),
  streams: z.strictObject({ front: streamReport, rear: streamReport }),
  in_flight_max: count,
};
const demoReport = z.strictObject({
  backend: z.enum(['triton', 'reference']),
  ...arm,
  without_governor: z.exactOptional(z.strictObject(arm)),
});
type Streams = z.output<typeof demoReport>['streams'];

/** Given to the demo and so to all that it starts: nobody else has it. */
const mark = `VIG_DEMO_TEST=${randomUUID()}`;
let folder: string;
let sharedMemoryBefore: ReadonlySet<string>;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'demo-test-'));
  sharedMemoryBefore = new Set(readdirSync('/dev/shm'));
});

afterEach(() => {
  for (const pid of markedProcesses()) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly pid: number;
  readonly ended: Promise<number | null>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when standard error has it. */
  said(pattern: RegExp): Promise<void>;
}

function start(command: string, options: readonly string[], environment: NodeJS.ProcessEnv = {}): Run {
  const [name = '', value = ''] = mark.split('=');
  const { ROS_DOMAIN_ID: _domain, ...inherited } = process.env; // it looks for a free one
  const child = spawn(command, options, {
    env: { ...inherited, [name]: value, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => (pattern.test(stderr) ? resolve() : undefined);
        look();
        child.stderr.on('data', look);
        void ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${stderr}`)));
      }),
  };
}

/** The compiled program beside a set-up without Triton. */
function checkoutWithoutTriton(): string {
  const checkout = mkdtempSync(path.join(tmpdir(), 'demo-checkout-'));
  onTestFinished(() => rmSync(checkout, { recursive: true }));
  cpSync(path.join(ROOT, 'dist'), path.join(checkout, 'dist'), { recursive: true });
  mkdirSync(path.join(checkout, '.vig'));
  for (const part of ['node_modules', 'package.json', '.vig/models']) symlinkSync(path.join(ROOT, part), path.join(checkout, part));
  return path.join(checkout, 'dist/cli/main.js');
}

const vigDemo = (...options: string[]): Run => start(VIG, ['demo', '--json', ...options]);

function markedProcesses(): readonly number[] {
  return processes().filter((pid) => environmentOf(pid).includes(mark));
}

function processes(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function environmentOf(pid: number): readonly string[] {
  return readIfThere(`/proc/${pid}/environ`).split('\0');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

/** Files of ROS, Triton and ours in /dev/shm that came during the test and that no process uses. */
function abandonedSharedMemory(): readonly string[] {
  const added = readdirSync('/dev/shm').filter((name) => !sharedMemoryBefore.has(name) && /fastrtps|triton|vig/.test(name));
  const used = new Set(processes().flatMap((pid) => [...mappedFiles(pid), ...openFiles(pid)]));
  // Fast DDS opens the semaphore beside a port only for moments.
  const isUsed = (name: string) => used.has(`/dev/shm/${/^sem\.(.*)_mutex$/.exec(name)?.[1] ?? name}`);
  return added.filter((name) => !isUsed(name) && readdirSync('/dev/shm').includes(name));
}

function mappedFiles(pid: number): readonly string[] {
  return readIfThere(`/proc/${pid}/maps`).match(/\/dev\/shm\/\S+/g) ?? [];
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function expectNothingLeft(): void {
  expect(markedProcesses()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  expect(abandonedSharedMemory()).toEqual([]);
}

/** The outcomes of a stream add up to what it received, and this process saw all of them. */
function expectAccounts(streams: Streams): void {
  for (const { received, outcomes, causes } of Object.values(streams)) {
    const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, some) => total + some, 0);
    expect(sum(outcomes)).toBe(received);
    expect(sum(causes)).toBe(received);
  }
}

describe('vig demo', () => {
  it(
    'compares both arms on a real Triton, and leaves nothing behind',
    async () => {
      const run = vigDemo('--seconds', '6');
      expect(await run.ended, run.stderr()).toBe(0);
      const report = demoReport.parse(JSON.parse(run.stdout()));
      const { streams, without_governor: without } = report;
      expect(report).toMatchObject({ backend: 'triton', seconds: 6, governor: true });
      expect(without).toMatchObject({ seconds: 6, governor: false });
      if (without === undefined) return;
      for (const one of [streams, without.streams]) expectAccounts(one);

      expect(report.in_flight_max).toBeGreaterThanOrEqual(1);
      expect(report.in_flight_max).toBeLessThanOrEqual(2); // one slot, and one call sent ahead
      expect(without.in_flight_max).toBeGreaterThan(2);
      expect(streams.front.outcomes['delivered']).toBeGreaterThan(0);
      expect(streams.rear.causes['newer_capture']).toBeGreaterThan(0);
      const { front, rear } = without.streams;
      const wasted = [front, rear].map(({ outcomes, causes }) => (outcomes['obsolete'] ?? 0) + (causes['queue_full'] ?? 0));
      expect(Math.max(...wasted)).toBeGreaterThan(0);
      expect(streams.front.age_ms.p50).toBeLessThan(without.streams.front.age_ms.p50 ?? 0);
      expectNothingLeft();
    },
    TEST_LIMIT_MS,
  );

  it(
    'runs one arm alone, and on the reference server where no Triton is installed',
    async () => {
      const run = start(process.execPath, [checkoutWithoutTriton(), 'demo', '--json', '--seconds', '3', '--without-governor']);
      expect(await run.ended, run.stderr()).toBe(0);
      expect(run.stderr()).toContain('Triton is not installed here');
      const report = demoReport.parse(JSON.parse(run.stdout()));
      expect(report).toMatchObject({ backend: 'reference', seconds: 3, governor: false });
      expect(report.without_governor).toBeUndefined();
      expectAccounts(report.streams);
      expectNothingLeft();
    },
    TEST_LIMIT_MS,
  );

  it(
    'runs on the reference server when asked',
    async () => {
      const run = vigDemo('--seconds', '3', '--backend', 'reference');
      expect(await run.ended, run.stderr()).toBe(0);
      const report = demoReport.parse(JSON.parse(run.stdout()));
      expect(report).toMatchObject({ backend: 'reference', governor: true });
      expectAccounts(report.streams);
      expect(report.in_flight_max).toBeLessThanOrEqual(3); // two slots, and one call sent ahead
      expectNothingLeft();
    },
    TEST_LIMIT_MS,
  );

  it.each([
    ['SIGINT', 'while the cameras run', /\d+ of 60 s/, 130],
    ['SIGTERM', 'before the node runs', /With the governor/, 143],
    ['SIGHUP', 'while the models are measured', /measuring/, 129],
  ] as const)(
    'ends everything on %s %s',
    async (signal, _when, pattern, status) => {
      const run = vigDemo('--seconds', '60');
      await run.said(pattern);
      process.kill(run.pid, signal);
      expect(await run.ended, run.stderr()).toBe(status);
      expect(run.stdout()).toBe('');
      expectNothingLeft();
    },
    TEST_LIMIT_MS,
  );

  it('says what is missing and what to type where there is no ROS 2', async () => {
    const run = start(process.execPath, [CLI, 'demo', '--json'], { AMENT_PREFIX_PATH: '', ROS_DISTRO: '' });
    expect(await run.ended).toBe(3);
    expect(run.stderr()).toMatch(/ROS 2.*npm run setup/);
    expect(run.stdout()).toBe('');
    expectNothingLeft();
  });

  it('ends, too, when there is no place for its files', async () => {
    const run = start(VIG, ['demo', '--json'], { TMPDIR: path.join(folder, 'nowhere') });
    expect(await run.ended).toBe(4);
    expect(run.stderr()).toMatch(/^vig: ENOENT.*nowhere/);
    expectNothingLeft();
  });

  it.each([['--seconds', '0'], ['--seconds', 'ten'], ['--backend', 'gpu'], ['--no-such-option']])('refuses %s %s', async (...options) => {
    const run = vigDemo(...options);
    expect(await run.ended).toBe(2);
    expect(run.stderr()).toMatch(/--help/);
  });
});
