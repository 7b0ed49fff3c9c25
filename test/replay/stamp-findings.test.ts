import { expect, it } from 'vitest';
import { madeBag, replayed } from './made-bag.js';

const PARAMETERS = `backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: 5000, p95_us: 6000, p99_us: 7000}}}}}
streams: {cam: {topic: /cam, model: det, contract: {max_age_ms: 100.0}}}`;

it('old stamps may be of simulated time: how to record them is said', async () => {
  const yearMs = 365 * 24 * 3_600_000;
  const bag = await madeBag(Array.from({ length: 5 }, (_, i) => ({ topic: '/cam', logMs: i * 100, stampMs: i * 100 - yearMs })));
  const { report } = await replayed(bag, PARAMETERS);
  expect(report.problems).toEqual([
    expect.stringMatching(
      /stream cam: no message was younger than .* of simulated time, .*: record with ros2 bag record --use-sim-time; or set /,
    ),
  ]);
});
