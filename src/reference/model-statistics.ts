import type { ModelStatistics } from '../triton/generated/inference/ModelStatistics.js';
import type { Tally } from './model-counters.js';
import type { ModelRunner } from './model-runner.js';

/** The answer of ModelStatistics for one model. */
export function statisticsOf({ model, counters }: ModelRunner): ModelStatistics {
  const none = { count: 0, ns: 0n };
  return {
    name: model.name,
    version: model.version,
    last_inference: counters.lastInferenceMs,
    inference_count: counters.inferences,
    execution_count: counters.executions,
    inference_stats: {
      success: duration(counters.success),
      fail: duration(counters.fail),
      queue: duration(counters.queue),
      compute_input: duration({ ...none, count: counters.success.count }),
      compute_infer: duration(counters.compute),
      compute_output: duration({ ...none, count: counters.success.count }),
    },
  };
}

function duration({ count, ns }: Tally): { count: number; ns: string } {
  return { count, ns: String(ns) };
}
