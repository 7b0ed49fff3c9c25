/** How the values of a script are written. Every scalar comes as a text. */
import { z } from 'zod';
import { type Micros, micros } from '../core/units.js';

const DECIMAL = /^[+-]?(\d{1,12}|\d{0,12}\.\d{1,3}|\d{1,12}\.)$/;
const MS_RULE = 'with at most three decimals';
const DAY_MS = 86_400_000;

/** Whatever is wrong with the value, one sentence says what would be right. */
function read<T>(expects: string, convert: (text: string) => T | undefined) {
  const message = `expected ${expects}`;
  return z.string(message).transform((text, context) => {
    const value = convert(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message, input: text });
    return z.NEVER;
  });
}

function milliseconds(minimum: number, maximum: number, what: string) {
  return read(`${what} in milliseconds from ${minimum} to ${maximum} ${MS_RULE}`, (text): Micros | undefined => {
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? micros(Math.round(value * 1000)) : undefined;
  });
}

/** An instant, counted from the script's zero. */
export const instant = () => milliseconds(-DAY_MS, DAY_MS, 'an instant');
/** Not zero: nothing takes no time. */
export const duration = () => milliseconds(0.001, DAY_MS, 'a duration');
/** Of the clock that captures are read by. */
export const backwards = () => milliseconds(-DAY_MS, -0.001, 'a jump backwards');
export const span = () => milliseconds(0, DAY_MS, 'a duration');

export function count(minimum: number, maximum: number) {
  return read(`a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

export const flag = () => read('true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** For events that say nothing but that they happen. */
export const happens = () => read('true', (text) => (text === 'true' ? true : undefined));

export function choice<const C extends string>(choices: readonly C[]) {
  return read(`one of ${choices.join(', ')}`, (text) => choices.find((one) => one === text));
}

export const id = () =>
  read('an id of letters, digits and any of _ . : -, at most 64', (text) => (/^[\w.:-]{1,64}$/.test(text) ? text : undefined));

export const name = (what: string) => read(`the name of a ${what}`, (text) => (text === '' ? undefined : text));
