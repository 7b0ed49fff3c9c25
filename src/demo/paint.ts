import { styleText } from 'node:util';

/** The few colours of the demo. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const same = (text: string): string => text;

export const PLAIN: Paint = { bold: same, dim: same, good: same, bad: same };

const style =
  (format: Parameters<typeof styleText>[0]) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false });

export const COLOURS: Paint = { bold: style('bold'), dim: style('dim'), good: style('green'), bad: style('red') };
