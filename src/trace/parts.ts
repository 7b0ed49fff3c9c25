/**
 * The files of a trace. FILE is the newest part; FILE.1.gz, FILE.2.gz … those that were set aside, the first one first, those of former runs
 * included. A part keeps its number, so that who reads or copies a trace may do so while it grows. FILE.n without .gz is one that is not
 * compressed yet.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const SET_ASIDE = /\.([1-9]\d{0,5})(\.gz(?:\.tmp)?)?$/;

export interface PartNames {
  readonly plain: string;
  readonly compressed: string;
  /** Becomes `compressed` when it is whole. */
  readonly half: string;
}

export interface SetAside {
  readonly name: string;
  readonly number: number;
  readonly form: keyof PartNames;
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

/** Numbers of the parts that are there, ascending. */
export function numbersOf(file: string): readonly number[] {
  const numbers = setAside(file).flatMap(({ number, form }) => (form === 'half' ? [] : [number]));
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** All that belongs to a trace, beside the part that is named: the newest, or one that was set aside. */
export function filesBeside(file: string): readonly string[] {
  const base = asPart(file)?.file;
  return [...(base === undefined ? [] : [base, ...setAside(base).map(({ name }) => name)]), ...setAside(file).map(({ name }) => name)];
}

export function setAside(file: string): readonly SetAside[] {
  const [folder, base] = [path.dirname(file), path.basename(file)];
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const part = asPart(name);
    return part?.file === base ? [{ name: path.join(folder, name), number: part.number, form: part.form }] : [];
  });
}

/** Of which trace, and the how manieth, a file is by its name; undefined when it is none that was set aside. */
export function asPart(name: string): { readonly file: string; readonly number: number; readonly form: keyof PartNames } | undefined {
  const match = SET_ASIDE.exec(name);
  if (match === null) return undefined;
  const form = match[2] === undefined ? 'plain' : match[2] === '.gz' ? 'compressed' : 'half';
  return { file: name.slice(0, match.index), number: Number(match[1]), form };
}
