/** Serialises what this node publishes: typed publishing of nested messages costs the binding milliseconds of event loop. */
import { MessageWriter } from '@foxglove/rosmsg2-serialization';
import type { MessageDefinition } from './interface-definitions.js';

export class RosMessageWriter {
  readonly #writer: MessageWriter;

  constructor(definitions: readonly MessageDefinition[]) {
    this.#writer = new MessageWriter([...definitions]);
  }

  /** The message as CDR, in a buffer that nobody else writes to. */
  write(message: object): Buffer {
    const bytes = this.#writer.writeMessage(isAscii(message) ? message : padTexts(message));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/**
 * The library takes the UTF-16 length of a text for its length in bytes and cuts the rest off. A text made longer by what is missing
 * comes out whole: the filling is what is cut.
 */
function padTexts(value: unknown): unknown {
  if (typeof value === 'string') return padText(value);
  if (Array.isArray(value)) return value.map(padTexts);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, padTexts(inner)]));
}

/** Nearly all are, and need no copy. */
function isAscii(value: unknown): boolean {
  if (typeof value === 'string') return Buffer.byteLength(value) === value.length;
  if (Array.isArray(value)) return value.every(isAscii);
  return typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.values(value).every(isAscii);
}

function padText(text: string): string {
  const missing = Buffer.byteLength(text) - text.length;
  return missing === 0 ? text : text + '\0'.repeat(missing);
}
