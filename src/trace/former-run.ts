/** What a run finds under the name of its trace: a former run stays, its newest part as one more that was set aside. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { beginsAsTrace, isFile } from './own-file.js';
import { numbersOf, type PartNames, partNames, setAside } from './parts.js';
import { TraceError } from './trace-error.js';

export interface FormerRun {
  /** The number of the newest part; 0 when there is none. */
  readonly newest: number;
  /** Those that are not compressed yet. */
  readonly plain: readonly PartNames[];
}

/** @throws {TraceError} unreadable, when something there is no trace: everything is as it was then. @throws {Error} of the operating system. */
export function keepFormerRun(file: string): FormerRun {
  const aside = setAside(file);
  const foreign = [...(isFile(file) ? [file] : []), ...aside.map(({ name }) => name)].find((name) => !beginsAsTrace(name));
  if (foreign !== undefined)
    throw new TraceError('unreadable', `${foreign}: is there already, and is no trace; name another trace.file, or move it away`);
  for (const { name, form } of aside) if (form === 'half') rmSync(name);
  const newest = numbersOf(file).at(-1) ?? 0;
  const plain = aside.flatMap(({ number, form }) => (form === 'plain' ? [partNames(file, number)] : []));
  if (!isFile(file) || statSync(file).size === 0) return { newest, plain };
  const names = partNames(file, newest + 1);
  renameSync(file, names.plain);
  return { newest: newest + 1, plain: [...plain, names] };
}

/** Of those that were set aside, whatever their numbers, the oldest go: so many stay. */
export function keepNewest(file: string, kept: number): void {
  const numbers = numbersOf(file);
  const gone = new Set(numbers.slice(0, Math.max(numbers.length - kept, 0)));
  for (const { name, number } of setAside(file)) if (gone.has(number) && beginsAsTrace(name)) rmSync(name, { force: true });
}
