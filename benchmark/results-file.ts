/** RESULTS.md: two commands write it, each its own part. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Relative to the working directory, the root of the package. */
export const RESULTS_FILE = path.join('benchmark', 'RESULTS.md');

export type Part = 'figures' | 'bench';

const PARTS: readonly Part[] = ['figures', 'bench'];
const HEADING = `# Measured

Written by two commands, each its own part: \`npm run figures\` (policies side by side in virtual time, the same on every machine but for
times) and \`npm run bench\` (the live node with ROS 2 and Triton, on the machine that it names).`;

export function writePart(part: Part, text: string): void {
  const before = existsSync(RESULTS_FILE) ? readFileSync(RESULTS_FILE, 'utf8') : '';
  writeFileSync(RESULTS_FILE, withPart(before, part, text));
}

/** The file with this part replaced, the others as they were. */
export function withPart(file: string, part: Part, text: string): string {
  const bodies = PARTS.map((name) => (name === part ? text.trim() : bodyOf(file, name)));
  return `${[HEADING, ...PARTS.map((name, index) => [begin(name), bodies[index], end(name)].filter((line) => line !== '').join('\n\n'))].join('\n\n')}\n`;
}

function bodyOf(file: string, part: Part): string {
  const from = file.indexOf(begin(part));
  const to = file.indexOf(end(part));
  return from < 0 || to < from ? '' : file.slice(from + begin(part).length, to).trim();
}

function begin(part: Part): string {
  return `<!-- npm run ${part}: from here -->`;
}

function end(part: Part): string {
  return `<!-- npm run ${part}: to here -->`;
}
