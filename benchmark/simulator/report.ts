/** The simulator's part of RESULTS.md. */
import { type Host, hostText } from '../host.js';
import { type Section, sectionText } from '../report.js';
import { refuseStrays } from './remarks.js';
import { type AllFigures, sections } from './sections.js';
import { OURS, TUNING_SEEDS } from './studies.js';
import { targets, targetTable } from './targets.js';

/** Sections of words alone. */
const WORDS = ['Runs that looked plausible and were wrong'];
export const PLOT = 'b-protected.svg';

/** @throws {Error} where a remark belongs to no section. */
export function figuresReport(
  all: AllFigures,
  speed: readonly Section[],
  remarks: ReadonlyMap<string, string>,
  hosts: readonly Host[],
): string {
  const parts = [reached(all), ...sections(all), ...speed, ...WORDS.map(ofWords)];
  refuseStrays(
    remarks,
    parts.map(({ title }) => title),
  );
  return [
    introduction(hosts),
    ...parts.filter((part) => part.tables.length > 0 || remarks.has(part.title)).map((part) => withRemark(part, remarks)),
  ].join('\n\n');
}

export function withRemark(section: Section, remarks: ReadonlyMap<string, string>): string {
  const remark = remarks.get(section.title);
  return remark === undefined ? sectionText(section) : `${sectionText(section)}\n\n${remark}`;
}

function introduction(hosts: readonly Host[]): string {
  const machines = [...new Set(hosts.map(hostText))].join('; ');
  return `# Policies on the same frames

${machines}.

Every policy runs on the same frames with the same runtimes (\`vig simulate\`, [docs/simulate.md](../docs/simulate.md)). Medians over seeds, in
brackets the lowest and the highest; settings were chosen on seeds ${TUNING_SEEDS}, these are others (2001 and up). W: contract periods
without a fresh result (window view), C: cycles at whose end the newest result is too old (consumer view), F: time without a fresh result
within the last period (phase-free), all in thousandths; "worst" is the highest of the guarded streams. Gap: the longest time without a
usable result. \`fifo\` has one depth for a whole scenario, the best of 1, 4 and 16. \`clairvoyant\` knows every runtime beforehand: exact for one
stream and one slot, otherwise a bound that nobody can reach for sure. Rows in italics were published by an earlier implementation of the
same idea about itself; they were not measured here. The default policy is \`${OURS}\`.

![B: periods without a fresh result over load, and the price stream by stream](${PLOT})`;
}

function reached(all: AllFigures): Section {
  return {
    title: 'Ours to reach',
    method: ['Judged by the medians, with the default policy.'],
    tables: [targetTable(targets(all))],
    conclusions: [],
    figures: {},
  };
}

function ofWords(title: string): Section {
  return { title, method: [], tables: [], conclusions: [], figures: {} };
}
