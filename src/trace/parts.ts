/**
 * The files of a trace. FILE is the newest part; FILE.1.gz, FILE.2.gz … those that were set aside, the first one first. A part keeps its number,
 * so that who reads or copies a trace may do so while it grows. FILE.n without .gz is one that is not compressed yet.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const SET_ASIDE = /^\.([1-9]\d{0,5})(?:\.gz(?:\.tmp)?)?$/;

export interface PartNames {
  readonly plain: string;
  readonly compressed: string;
  /** Becomes `compressed` when it is whole. */
  readonly half: string;
}

/** @param number from 1. */
export function partNames(file: string, number: number): PartNames {
  const plain = `${file}.${number}`;
  return { plain, compressed: `${plain}.gz`, half: `${plain}.gz.tmp` };
}

/** The file that holds this part; where there are two, a crash came between, and the plain one is whole for certain. */
export function partThatIsThere(file: string, number: number): string | undefined {
  const { plain, compressed } = partNames(file, number);
  return [plain, compressed].find((name) => existsSync(name));
}

/** The oldest part that is still there; undefined when none was set aside. */
export function oldestNumber(file: string): number | undefined {
  const numbers = setAside(file).map(({ number }) => number);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** Of a former trace of that name, also what a crash left half done. */
export function removeSetAside(file: string): void {
  for (const name of setAsideFiles(file)) rmSync(name, { force: true });
}

/** All that belongs to a trace beside its newest part. */
export function setAsideFiles(file: string): readonly string[] {
  return setAside(file).map(({ name }) => name);
}

function setAside(file: string): readonly { readonly name: string; readonly number: number }[] {
  const [folder, base] = [path.dirname(file), path.basename(file)];
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const match = name.startsWith(base) ? SET_ASIDE.exec(name.slice(base.length)) : null;
    return match === null ? [] : [{ name: path.join(folder, name), number: Number(match[1]) }];
  });
}
