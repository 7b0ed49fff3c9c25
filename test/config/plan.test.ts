import { expect, test } from 'vitest';
import { changeParameters } from '../../src/config/live-change.js';
import { planWarnings, refuseHopeless } from '../../src/config/plan.js';
import { configureText, fileWith, problemsOf } from './configure.js';

const profile = (p50: number) =>
  Object.fromEntries(['p50', 'p95', 'p99'].map((key) => [`models.detector.variants.full.profile.${key}_us`, `${p50}`]));
const CAMERA = { 'streams.front.class': 'protected', 'streams.front.contract.period_ms': '33' };
const configured = (changes: Readonly<Record<string, string>>) => configureText(fileWith(changes));
const NODE = { name: 'governor', namespace: '/' };

test('what cannot work is refused with its key and its line', () => {
  expect(problemsOf(() => refuseHopeless(configured({ ...CAMERA, ...profile(120_000) })))).toEqual([
    expect.stringMatching(/^r\.yaml:8: streams\.front\.contract: can never be fresh: .*120.0 ms.*100.0 ms/),
    expect.stringMatching(/^r\.yaml:3: backends\.gpu: its guarded streams take 364 % of its slot \(front 364 %\)/),
  ]);
  expect(problemsOf(() => refuseHopeless(configured({ ...CAMERA, ...profile(20_000) })))).toEqual([]);
});

test('what may not work is a warning', () => {
  expect(planWarnings(configured({ ...CAMERA, ...profile(30_000) }))).toEqual([expect.stringMatching(/^r\.yaml:3: backends\.gpu: .*91 %/)]);
  expect(planWarnings(configured({ ...CAMERA, ...profile(20_000) }))).toEqual([]);
});

test('no profile in a file is verified, so a qualified promise is refused', () => {
  const configuration = configured({ ...profile(5000), 'streams.front.contract.extension.evidence_required': 'qualified_slo' });
  expect(problemsOf(() => refuseHopeless(configuration))).toEqual([expect.stringContaining('full (not verified)')]);
});

test('a change of contract that makes it hopeless is refused', () => {
  const running = configureText(fileWith({ ...CAMERA, ...profile(20_000) }));
  const change = (ms: number) => changeParameters(running, [{ name: 'streams.front.contract.period_ms', value: ms }], NODE);
  expect(problemsOf(() => change(25))).toEqual([]);
  expect(problemsOf(() => change(19))).toEqual([expect.stringContaining('105 %')]);
});
