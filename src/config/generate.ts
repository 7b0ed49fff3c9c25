/** Writes docs/parameters.md and config/governor.yaml. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleFile } from './example.js';
import { referenceDocument } from './reference.js';

for (const [file, text] of [
  ['docs/parameters.md', referenceDocument()],
  ['config/governor.yaml', exampleFile()],
] as const) {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`wrote ${file}\n`);
}
