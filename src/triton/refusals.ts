/**
 * Answers with which Triton refuses a call before it runs, known by their texts: codes alone do not tell, since a model may answer with any
 * of them, and its answers are counted. What is not known for certain to be counted nowhere is taken as counted: a credit may then be
 * held for longer, and never returns too early. Measured on Triton 2.51: docs/counted-ends.md, test/live/triton-counted-ends.test.ts.
 */
import { status } from '@grpc/grpc-js';

/** What a refusal says of the call. */
export interface CallName {
  readonly model: string;
  /** Of the request; may be empty. */
  readonly id: string;
}

interface Answer {
  readonly code: status;
  readonly details: string;
}

/** Each after the prefix with the id, where there is one; a group holds the model's name, where it is said. */
const REFUSALS: readonly (readonly [status, RegExp])[] = [
  [status.UNAVAILABLE, /^Exceeds maximum queue size$/],
  [status.NOT_FOUND, /^Request for unknown model: '(?<model>.*?)' (?:has no available versions|is not found|version \S+ .*)$/],
  [status.NOT_FOUND, /^Unable to find shared memory region: '.*'$/],
  [status.UNIMPLEMENTED, /^ModelInfer RPC doesn't support models with decoupled transaction policy$/],
  [status.INVALID_ARGUMENT, /^failed to get model version from specified version string /],
  [status.INVALID_ARGUMENT, /^expected \d+ inputs but got \d+ inputs for model '(?<model>.*?)'\./],
  [status.INVALID_ARGUMENT, /^unexpected inference (?:input|output) '.*' for model '(?<model>.*)'$/],
  [status.INVALID_ARGUMENT, /^inference input '.*' data-type is '.*', but model '(?<model>.*)' expects '.*'$/],
  [status.INVALID_ARGUMENT, /^input byte size mismatch for input '.*' for model '(?<model>.*)'\. Expected \d+, got \d+$/],
  [status.INVALID_ARGUMENT, /^unable to find data for input tensor '.*' for model '(?<model>.*)' in request\.$/],
  [status.INVALID_ARGUMENT, /^inference request batch-size must be <= \d+ for '(?<model>.*)'$/],
  [status.INVALID_ARGUMENT, /^inference request to model '(?<model>.*)' must specify a non-zero or non-empty correlation ID$/],
];

/** Triton counts this one as a failure. */
const QUEUE_TIMEOUT = /^(?:\[request id: .*?\] )?Request timeout expired$/;

/** Whether the server did not run this call, and does not count it. */
export function isRefusal({ code, details }: Answer, { model, id }: CallName): boolean {
  const prefix = `[request id: ${id === '' ? '<id_unknown>' : id}] `;
  const text = details.startsWith(prefix) ? details.slice(prefix.length) : details;
  return REFUSALS.some(([refusal, pattern]) => {
    const match = refusal === code ? pattern.exec(text) : null;
    return match !== null && (match.groups?.['model'] ?? model) === model;
  });
}

/** It waited at the server for longer than the server's queue policy allows, and was dropped from there. */
export function isQueueTimeout({ code, details }: Answer): boolean {
  return code === status.UNAVAILABLE && QUEUE_TIMEOUT.test(details);
}
