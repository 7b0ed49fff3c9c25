/** Reads single fields of a received message, of which nothing is known yet. */
import { InvalidMessage } from './invalid-message.js';

export type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** @throws {InvalidMessage} malformed_message. */
export function fieldsOf(value: unknown, what: string): Fields {
  if (!isFields(value)) throw new InvalidMessage('malformed_message', `${what} is ${kindOf(value)}, not a message.`);
  return value;
}

/** @throws {InvalidMessage} malformed_message unless a whole number of at least 0. */
export function countIn(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidMessage('malformed_message', `${name} is ${typeof value === 'number' ? value : kindOf(value)}, not a whole number.`);
}

/** Any number, NaN and Infinity included: a sensor may send them. @throws {InvalidMessage} malformed_message. */
export function numberIn(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number') return value;
  throw new InvalidMessage('malformed_message', `${name} is ${kindOf(value)}, not a number.`);
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
