import { describe, expect, test } from 'vitest';
import { changeParameters, type ParameterChange } from '../../src/config/live-change.js';
import { configureText, fileWith, problemsOf } from './configure.js';

const NODE = { name: 'governor', namespace: '/' };
const CONTRACT = 'streams.front.contract';
const running = configureText(fileWith({ [`${CONTRACT}.period_ms`]: '33', [`${CONTRACT}.extension.consumer_period_ms`]: '33' }));

const change = (...changes: readonly ParameterChange[]) => changeParameters(running, changes, NODE);

describe('a change of a running configuration', () => {
  test('puts the values in, and leaves everything else as it is', () => {
    const { parameters } = change({ name: `${CONTRACT}.max_age_ms`, value: 150 });
    const { front, ...others } = parameters.streams;
    const before = running.parameters.streams['front'];
    expect(front?.contract).toEqual({ ...before?.contract, max_age_ms: 150 });
    expect({ ...parameters, streams: others }).toEqual({ ...running.parameters, streams: {} });
  });

  test('does not let a derived deadline follow: what the node shows counts', () => {
    expect(change({ name: `${CONTRACT}.max_age_ms`, value: 150 }).parameters.streams['front']?.contract.deadline_ms).toBe(100);
  });

  test('keeps what belongs to ROS', () => {
    const simulated = { ...running, useSimTime: true };
    expect(changeParameters(simulated, [{ name: `${CONTRACT}.max_age_ms`, value: 150 }], NODE).useSimTime).toBe(true);
  });

  test('takes together what is right only together', () => {
    const budget = `${CONTRACT}.extension.miss_budget`;
    const wide = change({ name: `${budget}.max_misses`, value: 20 }, { name: `${budget}.window_cycles`, value: 100 });
    expect(wide.parameters.streams['front']?.contract.extension.miss_budget).toEqual({
      max_misses: 20,
      window_cycles: 100,
      max_consecutive: 20,
      mandatory_cycles: false,
    });
    expect(problemsOf(() => change({ name: `${budget}.max_misses`, value: 20 }))).toHaveLength(1);
  });

  test.each<[ParameterChange, string]>([
    [{ name: `${CONTRACT}.max_age_ms`, value: 0 }, `change: ${CONTRACT}.max_age_ms is 0: expected a number from 0.001 to 3600000 (ms)`],
    [
      { name: `${CONTRACT}.max_age_ms`, value: 'long' },
      `change: ${CONTRACT}.max_age_ms is "long": expected a number from 0.001 to 3600000 (ms)`,
    ],
    [
      { name: `${CONTRACT}.extension.delivery_semantics`, value: 'every_event' },
      `change: ${CONTRACT}.extension.delivery_semantics is "every_event": every_event must not skip frames, and queue.policy is latest; expected fifo or never_drop there`,
    ],
    [
      { name: `${CONTRACT}.extension.approved_variants`, value: ['gold'] },
      `change: ${CONTRACT}.extension.approved_variants is ["gold"]: there is no variant gold; expected one of full`,
    ],
  ])('is refused with its reason: %j', (wrong, reason) => {
    expect(problemsOf(() => change(wrong))).toEqual([reason]);
  });
});
