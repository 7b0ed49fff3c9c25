/** What the simulator and its worker processes, of the same build, say to each other. */
import type { Measures } from './report.js';
import type { Task } from './run-task.js';
import type { Scenario } from './scenario.js';

export type ToWorker =
  | { readonly type: 'scenario'; readonly scenario: Scenario }
  | { readonly type: 'task'; readonly index: number; readonly task: Task };

export type FromWorker =
  | { readonly type: 'measures'; readonly index: number; readonly measures: readonly Measures[] }
  | { readonly type: 'failure'; readonly index: number; readonly text: string };

export function isToWorker(message: unknown): message is ToWorker {
  return hasType(message, ['scenario', 'task']);
}

export function isFromWorker(message: unknown): message is FromWorker {
  return hasType(message, ['measures', 'failure']);
}

function hasType(message: unknown, types: readonly string[]): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && types.includes(String(message.type));
}
