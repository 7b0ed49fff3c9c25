/** Reads how many executions a server has finished out of what it says about a model. */
import type { ModelStatisticsResponse__Output } from './generated/inference/ModelStatisticsResponse.js';
import type { StatisticDuration__Output } from './generated/inference/StatisticDuration.js';
import { TritonError } from './triton-error.js';

/** More versions of one model than any server holds. */
const MAX_VERSIONS = 1024;

/**
 * Successes and failures of all versions: whichever version the server chooses, the sum moves only when work has ended.
 * @throws {TritonError} `invalid_metadata` when the answer is about something else, or counts nothing
 */
export function completedCount(model: string, { model_stats: versions }: ModelStatisticsResponse__Output): number {
  if (versions.length === 0 || versions.length > MAX_VERSIONS) throw invalid(model, `they are of ${versions.length} versions`);
  const seen = new Set<string>();
  let total = 0;
  for (const { name, version, inference_stats: statistics } of versions) {
    if (name !== model) throw invalid(model, `they are of ${JSON.stringify(name.slice(0, 80))}`);
    if (seen.has(version)) throw invalid(model, `version ${JSON.stringify(version.slice(0, 80))} comes twice`);
    seen.add(version);
    if (statistics === null) throw invalid(model, 'they count no inferences');
    total += countOf(model, statistics.success) + countOf(model, statistics.fail);
  }
  if (!Number.isSafeInteger(total)) throw invalid(model, `they sum up to ${total}`);
  return total;
}

/** Protobuf leaves out a message that says nothing. */
function countOf(model: string, duration: StatisticDuration__Output | null): number {
  if (duration === null) return 0;
  const count = Number(duration.count);
  if (!Number.isSafeInteger(count) || count < 0) throw invalid(model, `a count is ${duration.count}`);
  return count;
}

function invalid(model: string, what: string): TritonError {
  return new TritonError('invalid_metadata', `the server's statistics of model "${model}" cannot be used: ${what}`);
}
