import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigurationError } from './problem.js';
import { MAX_YAML_LENGTH } from './yaml-document.js';

/** @throws {ConfigurationError} `unreadable`: nothing is kept of what is no file or pipe, or too long. */
export function readYamlText(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      // Not as plain numbers: the realpath of Node.js, which loads modules, would take those of a pipe for its own.
      const there = fstatSync(descriptor, { bigint: true });
      if (!there.isFile() && !there.isFIFO()) throw new Error('not a file');
      const text = readUpTo(descriptor, MAX_YAML_LENGTH + 1);
      const size = there.isFile() ? `${there.size}` : `more than ${MAX_YAML_LENGTH}`; // a pipe does not say
      if (text.byteLength > MAX_YAML_LENGTH) throw new Error(`${size} bytes are too many; expected at most ${MAX_YAML_LENGTH}`);
      return text.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError('unreadable', [{ place: { source: file }, text: `cannot read the file: ${said}` }], { cause });
  }
}

function readUpTo(descriptor: number, limit: number): Buffer {
  const buffer = Buffer.alloc(limit);
  let length = 0;
  for (let read = -1; read !== 0 && length < limit; length += read) read = readSync(descriptor, buffer, length, limit - length, null);
  return buffer.subarray(0, length);
}
