import { describe, expect, test } from 'vitest';
import { completedCount } from '../../src/triton/completed-count.js';
import type { InferStatistics__Output } from '../../src/triton/generated/inference/InferStatistics.js';

const NONE = { queue: null, compute_input: null, compute_infer: null, compute_output: null };
const inferences = (success: string, fail: string): InferStatistics__Output => ({
  ...NONE,
  success: { count: success, ns: '1' },
  fail: { count: fail, ns: '1' },
});
const version = (number: string, inference_stats: InferStatistics__Output | null, name = 'echo') => ({
  name,
  version: number,
  last_inference: '0',
  inference_count: '999', // counts what a batch holds, and no failures
  execution_count: '999',
  inference_stats,
});

describe('what a server has finished', () => {
  test('are successes and failures of all versions', () => {
    const model_stats = [version('1', inferences('5', '2')), version('2', inferences('30', '0'))];
    expect(completedCount('echo', { model_stats })).toBe(37);
  });

  test('is nothing where a count is left out', () => {
    expect(completedCount('echo', { model_stats: [version('1', { ...NONE, success: null, fail: null })] })).toBe(0);
  });

  test.each([
    ['no versions', []],
    ['another model', [version('1', inferences('1', '1'), 'other')]],
    ['no inferences', [version('1', null)]],
    ['a version twice', [version('1', inferences('1', '0')), version('1', inferences('1', '0'))]],
    ['a count that is none', [version('1', inferences('many', '0'))]],
    ['a count below zero', [version('1', inferences('-1', '0'))]],
    ['a count that a number cannot hold', [version('1', inferences('18446744073709551615', '0'))]],
    ['a sum that a number cannot hold', [version('1', inferences('9007199254740991', '1'))]],
    ['more versions than there are', Array.from({ length: 2000 }, (_, index) => version(String(index), inferences('1', '0')))],
  ])('is not known from statistics of %s', (_, model_stats) => {
    expect(() => completedCount('echo', { model_stats })).toThrow(/statistics of model "echo" cannot be used: /);
  });
});
