/** A process that simulates tasks for another, one message each, until that lets go of it. */

import { runTask } from './run-task.js';
import type { Scenario } from './scenario.js';
import { type FromWorker, isToWorker } from './worker-messages.js';

let scenario: Scenario | undefined;

process.on('message', (message: unknown) => {
  if (!isToWorker(message)) throw new Error('a message that is none of ours');
  if (message.type === 'scenario') scenario = message.scenario;
  else if (scenario !== undefined) tell(resultOf(scenario, message.index, message.task));
});
process.on('disconnect', () => process.exit());

function resultOf(of: Scenario, index: number, task: Parameters<typeof runTask>[1]): FromWorker {
  try {
    return { type: 'measures', index, measures: runTask(of, task) };
  } catch (error) {
    return { type: 'failure', index, text: error instanceof Error ? error.message : String(error) };
  }
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
