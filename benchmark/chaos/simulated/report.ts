/** What was found, as text. */
import type { KnownEnd } from '../../../src/core/snapshot.js';
import { table } from '../table.js';
import type { Explored, Failure, SiteFigures } from './explore.js';
import type { Site } from './plan.js';

const COLUMNS = ['server', 'schedules', 'frames', 'delivered', 'restarts', 'proofs', 'recovery ms', 'with held', 'share', 'held by state'];

export function exploredText({ sites, seconds, failed, failure }: Explored): string {
  const rows = Object.entries(sites).map(([site, figures]) => row(site as Site, figures));
  const schedules = Object.values(sites).reduce((sum, figures) => sum + figures.schedules, 0);
  const pace = `${schedules} schedules in ${seconds.toFixed(1)} s, ${Math.round((60 * schedules) / seconds)} a minute`;
  const verdict = failed === 0 ? 'every check held' : `${failed} FAILED`;
  return [table(COLUMNS, rows), '', `${pace}; ${verdict}`, ...(failure === undefined ? [] : ['', failureText(failure)])].join('\n');
}

export function failureText({ seed, site, failure, faults, events }: Failure): string {
  return [
    `seed ${seed} (${site}) at ${failure}`,
    'It needs these faults:',
    ...faults,
    'What happened last (ms):',
    ...events,
    `again: npm run chaos -- --simulated --schedules 1 --seed ${seed}`,
  ].join('\n');
}

function row(site: Site, figures: SiteFigures): string[] {
  const { schedules, withHeld, held, frames, delivered, restarts, reconciled, loadedAnew, recoveryMs } = figures;
  const states = (Object.entries(held) as [KnownEnd, number][])
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  const anew = loadedAnew === 0 ? [] : [`${loadedAnew} back too early: loaded anew`];
  const share = schedules === 0 ? '' : `${((100 * withHeld) / schedules).toFixed(1)} %`;
  return [
    ...[site, schedules, frames, delivered, restarts, reconciled, recoveryMs.toFixed(0), withHeld].map(String),
    share,
    [...states, ...anew].join(', ') || 'none',
  ];
}
