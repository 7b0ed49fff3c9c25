import { readFileSync, statSync } from 'node:fs';
import { ConfigurationError } from './problem.js';
import { MAX_YAML_LENGTH } from './yaml-document.js';

/** @throws {ConfigurationError} `unreadable`: nothing is read of what is no file or too long. */
export function readYamlText(file: string): string {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new Error('not a file');
    if (stat.size > MAX_YAML_LENGTH) throw new Error(`${stat.size} bytes are too many; expected at most ${MAX_YAML_LENGTH}`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError('unreadable', [{ place: { source: file }, text: `cannot read the file: ${said}` }], { cause });
  }
}
