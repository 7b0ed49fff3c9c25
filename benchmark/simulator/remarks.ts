/** What people have to say about figures: written by hand in remarks.md, under the title of the section it belongs to. */
import { readFileSync } from 'node:fs';

const FILE = 'benchmark/simulator/remarks.md';
const HEADING = '## ';

/** @returns text by title. */
export function readRemarks(): Map<string, string> {
  return parseRemarks(readFileSync(FILE, 'utf8'));
}

/** @throws {Error} for two of one title. */
export function parseRemarks(text: string): Map<string, string> {
  const remarks = new Map<string, string>();
  for (const part of `\n${text}`.split(`\n${HEADING}`).slice(1)) {
    const [title = '', ...lines] = part.split('\n');
    if (remarks.has(title)) throw new Error(`${FILE}: two remarks under "${title}"`);
    remarks.set(title, lines.join('\n').trim());
  }
  return remarks;
}

/** @throws {Error} where a remark belongs to no section. */
export function refuseStrays(remarks: ReadonlyMap<string, string>, titles: readonly string[]): void {
  const strays = [...remarks.keys()].filter((title) => !titles.includes(title));
  if (strays.length > 0) throw new Error(`${FILE}: no section is called ${strays.map((title) => `"${title}"`).join(', ')}`);
}
