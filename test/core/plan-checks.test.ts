import { describe, expect, test } from 'vitest';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { checkPlan } from '../../src/core/plan-checks.js';
import { configure, type Setting } from './bench.js';

const findings = (setting: Setting) => checkPlan(configure(setting)).map(({ severity, text }) => `${severity}: ${text}`);

describe('guarded utilisation', () => {
  const camera = (p50: number, more: object = {}): Setting => ({
    models: { camera: { variants: { large: { quality: 1, p50: 3 * p50 }, small: { quality: 0.5, p50 } } } },
    streams: { camera: { class: 'protected', period: 100, ...more } },
  });

  test.each([
    [80, []],
    [81, [expect.stringMatching(/^warn: .*81 % of its slot \(camera 81 %\)/)]],
    [100, [expect.stringMatching(/^warn: /)]],
    [101, [expect.stringMatching(/^fail: .*101 % of its slot/)]],
  ])('of %s %% on the fastest approved variant', (p50, expected) => {
    expect(findings(camera(p50))).toEqual(expected);
  });

  test('counts what is approved only, all guarded streams, and slots', () => {
    expect(findings(camera(40, { approved: ['large'] }))).toEqual([expect.stringMatching(/^fail: .*120 %/)]);
    const two: Setting = {
      models: { a: 60, b: 70 },
      streams: { a: { class: 'high', period: 100 }, b: { class: 'protected', period: 100 } },
    };
    expect(findings(two)).toEqual([expect.stringMatching(/^fail: .*130 % of its slot \(a 60 %, b 70 %\)/)]);
    expect(findings({ ...two, backend: { slots: 2 } })).toEqual([]);
  });

  test('says nothing of streams that are not guarded, without a period, or on a variant that nobody measured', () => {
    expect(findings({ models: { a: 200 }, streams: { a: { class: 'normal', period: 100 } } })).toEqual([]);
    expect(findings({ models: { a: 200 }, streams: { a: { class: 'high' } } })).toEqual([]);
    const unmeasured = { variants: { large: { p50: 200 }, small: {} } };
    expect(findings({ models: { a: unmeasured }, streams: { a: { class: 'high', period: 100 } } })).toEqual([]);
  });
});

describe('background that outlasts the tightest guarded promise', () => {
  const setting = (job: Setting['models'], slots: number, more: Partial<Setting> = {}): Setting => ({
    backend: { slots },
    models: { camera: 5, slow: 5, ...job },
    streams: {
      camera: { class: 'protected', maxAge: 66, period: 33 },
      slow: { class: 'high', maxAge: 500, period: 500 },
      job: { class: 'best_effort', maxAge: 5000 },
    },
    ...more,
  });
  const declared = (p50: number, instances: number) => ({ instances, variants: { only: { p50 } } });

  test('fails when it can take the only slot', () => {
    expect(findings(setting({ job: 66 }, 1))).toEqual([]);
    expect(findings(setting({ job: 67 }, 1))).toEqual([
      'fail: jobs of job (67.0 ms) can take its only slot for longer than results of camera may be old (66.0 ms); use faster variants, fewer instances than slots, or another backend',
    ]);
  });

  test('fails when one model can fill several slots', () => {
    expect(findings(setting({ job: declared(100, 2) }, 2))).toEqual([expect.stringMatching(/^fail: .*all 2 slots/)]);
    expect(findings(setting({ job: declared(100, 1) }, 2))).toEqual([]);
  });

  test('warns where only the server knows how many instances there are', () => {
    expect(findings(setting({ job: 100 }, 2))).toEqual([expect.stringMatching(/^warn: /)]);
  });

  test('fails when several models fill the slots together, unless they may not run beside each other', () => {
    const both: Partial<Setting> = {
      streams: {
        camera: { class: 'protected', maxAge: 66, period: 33 },
        job: { class: 'best_effort', maxAge: 5000 },
        other: { class: 'normal', maxAge: 5000 },
      },
    };
    const models = { job: declared(100, 1), other: declared(200, 1) };
    expect(findings(setting(models, 2, both))).toEqual([expect.stringMatching(/^fail: jobs of job \(100.0 ms\), other \(200.0 ms\)/)]);
    expect(findings(setting(models, 2, { ...both, backend: { slots: 2, noCorun: [['job', 'other']] } }))).toEqual([]);
  });
});

test('what can never be fresh fails for a guarded stream, and is a warning for another', () => {
  const setting = (streamClass: 'high' | 'normal'): Setting => ({
    models: { a: 101 },
    streams: { a: { class: streamClass, maxAge: 100 } },
  });
  expect(findings(setting('high'))).toEqual([
    expect.stringMatching(/^fail: can never be fresh: model a takes at least 101.0 ms, .*100.0 ms/),
  ]);
  expect(findings(setting('normal'))).toEqual([expect.stringMatching(/^warn: can never be fresh/)]);
});

test('a qualified promise is refused while a profile is missing or not verified', () => {
  const setting = (variant: object): CoreConfiguration =>
    configure({ models: { a: { variants: { only: variant } } }, streams: { a: { contract: { evidenceRequired: 'qualified_slo' } } } });
  expect(checkPlan(setting({ p50: 5 }))).toEqual([]);
  expect(checkPlan(setting({ p50: 5, unverified: true }))[0]?.text).toContain('only (not verified)');
  expect(checkPlan(setting({}))[0]).toMatchObject({
    severity: 'fail',
    about: { stream: 'a' },
    text: expect.stringContaining('no profile'),
  });
});
