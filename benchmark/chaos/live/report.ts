/** What was found, as text. */
import type { KnownEnd } from '../../../src/core/snapshot.js';
import { table } from '../table.js';
import type { Explored, Failure } from './explore.js';
import type { Schedule, ServerKind } from './plan.js';
import { type LiveRun, RECOVERY_LIMIT_MS } from './run.js';
import { SLOTS } from './world.js';

const COLUMNS = [
  'seed',
  'plain',
  'received',
  'delivered',
  'ran',
  'at once',
  'credits',
  'restarts',
  'proofs',
  'recovery ms',
  'held',
  'faults',
];

export function runCells({ seed, isPlain, depth, faults }: Schedule, run: LiveRun): string[] {
  const { received, delivered, executions, atOnce, restarts, reconciled, recoveryMs, held } = run;
  return [
    ...[seed, isPlain ? 'yes' : 'no', received, delivered, executions, atOnce, SLOTS + depth, restarts, reconciled, recoveryMs ?? '-'].map(
      String,
    ),
    statesOf(held) || 'none',
    faults.map(({ fault }) => fault.kind).join(' '),
  ];
}

export function exploredText(kind: ServerKind, rows: readonly (readonly string[])[], explored: Explored): string {
  const { runs, withHeld, held, leaks, failure } = explored;
  const failed = runs.filter(({ failures }) => failures.length > 0).length;
  const recoveries = runs.flatMap(({ recoveryMs }) => (recoveryMs === null ? [] : [recoveryMs]));
  const late = recoveries.filter((ms) => ms > RECOVERY_LIMIT_MS).length;
  return [
    table(COLUMNS, rows),
    '',
    `schedules that end with held credits: ${withHeld} of ${runs.length}, ${((100 * withHeld) / Math.max(1, runs.length)).toFixed(1)} % (${statesOf(held) || 'none'})`,
    `first fresh result after the server was well: at most ${Math.max(0, ...recoveries)} ms; later than ${RECOVERY_LIMIT_MS} ms: ${late}`,
    `left behind: ${leaks.join(', ') || 'nothing'}`,
    failed === 0 ? 'every check held' : `${failed} FAILED`,
    ...(failure === undefined ? [] : ['', failureText(kind, failure)]),
  ].join('\n');
}

function failureText(kind: ServerKind, { seed, failures, faults, log }: Failure): string {
  return [
    `seed ${seed}: ${failures.join('; ')}`,
    'Its faults:',
    ...faults,
    'What was said last:',
    ...log,
    `again: npm run chaos -- --server ${kind} --schedules 1 --seed ${seed}`,
  ].join('\n');
}

function statesOf(held: Readonly<Record<KnownEnd, number>>): string {
  const states = (Object.entries(held) as [KnownEnd, number][]).filter(([, count]) => count > 0);
  return states.map(([state, count]) => `${count} ${state}`).join(', ');
}
