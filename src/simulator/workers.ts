/** Tasks spread over processes: one runs on each processor. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { holdLeftover } from '../files/leftovers.js';
import { SimulationError } from './ledger.js';
import type { Measures } from './report.js';
import type { Task } from './run-task.js';
import type { Scenario } from './scenario.js';
import { isFromWorker, type ToWorker } from './worker-messages.js';

/** How a worker is started: a file for Node.js and its arguments. */
export interface WorkerProgram {
  readonly file: string;
  readonly arguments: readonly string[];
}

const WORKER: WorkerProgram = { file: fileURLToPath(new URL('worker-main.js', import.meta.url)), arguments: [] };

/**
 * The measures of every task, in order of the tasks.
 * @param done told after each task how many are done.
 * @throws {SimulationError} when a task fails or a worker dies; every worker has ended then.
 */
export async function runTasks(
  scenario: Scenario,
  tasks: readonly Task[],
  processes: number,
  done: (tasks: number) => void,
  program: WorkerProgram = WORKER,
): Promise<(readonly Measures[])[]> {
  const results: (readonly Measures[])[] = [];
  const queue = tasks.map((task, index): ToWorker => ({ type: 'task', index, task }));
  const workers: ChildProcess[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = fork(program.file, program.arguments, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      workers.push(worker);
      const sendNext = () => {
        const next = queue.shift();
        if (next === undefined) resolve();
        else worker.send(next);
      };
      worker.on('message', (message: unknown) => {
        if (!isFromWorker(message)) return;
        if (message.type === 'failure') {
          reject(new SimulationError(message.text));
          return;
        }
        results[message.index] = message.measures;
        done(results.filter((result) => result !== undefined).length);
        sendNext();
      });
      worker.on('error', (cause) => reject(new SimulationError(`a worker process failed: ${cause.message}`, { cause })));
      worker.on('exit', (code, signal) => reject(new SimulationError(`a worker process ended with ${signal ?? `status ${code}`}`)));
      worker.send({ type: 'scenario', scenario } satisfies ToWorker);
      sendNext();
    });
  // A worker in the middle of a task does not notice that nobody waits for it any more.
  const release = holdLeftover(() => {
    for (const worker of workers) worker.kill('SIGKILL');
  });
  try {
    await Promise.all(Array.from({ length: Math.min(processes, tasks.length) }, work));
    return results;
  } finally {
    release();
    for (const worker of workers) worker.kill();
  }
}
