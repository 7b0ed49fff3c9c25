import { expect, test } from 'vitest';
import { nextBatch } from '../../src/reference/batch.js';

const DELAYED = { maxBatchSize: 4, maxQueueDelayMs: 100 };
const call = (size: number, queuedAtMs: number, shape = 'N=1') => ({ size, shape, queuedAtMs });

test('without batching every call goes alone, and nothing waits', () => {
  expect(nextBatch([call(1, 0), call(1, 0)], undefined, 0)).toEqual({ count: 1 });
  expect(nextBatch([], undefined, 0)).toEqual({ count: 0 });
});

test('a batch that can grow waits until its first call has waited the delay', () => {
  expect(nextBatch([call(1, 10), call(1, 60)], DELAYED, 70)).toEqual({ waitMs: 40 });
  expect(nextBatch([call(1, 10), call(1, 60)], DELAYED, 110)).toEqual({ count: 2 });
});

test('without a delay what is there goes', () => {
  expect(nextBatch([call(1, 0), call(2, 0)], { maxBatchSize: 4, maxQueueDelayMs: 0 }, 0)).toEqual({ count: 2 });
});

test('a full batch goes at once', () => {
  expect(nextBatch([call(3, 0), call(1, 0)], DELAYED, 0)).toEqual({ count: 2 });
  expect(nextBatch([call(4, 0)], DELAYED, 0)).toEqual({ count: 1 });
});

test('what follows and does not fit, by size or by shape, closes a batch', () => {
  expect(nextBatch([call(3, 0), call(2, 0)], DELAYED, 0)).toEqual({ count: 1 });
  expect(nextBatch([call(1, 0), call(1, 0), call(1, 0, 'N=2')], DELAYED, 0)).toEqual({ count: 2 });
});
