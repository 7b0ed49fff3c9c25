/** Writes what is derived from the schema and the catalogue: docs/parameters.md, docs/reasons.md, config/governor.yaml. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleFile } from '../config/example.js';
import { referenceDocument } from '../config/reference.js';
import { reasonsDocument } from './reasons.js';

for (const [file, text] of [
  ['docs/parameters.md', referenceDocument()],
  ['docs/reasons.md', reasonsDocument()],
  ['config/governor.yaml', exampleFile()],
] as const) {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`wrote ${file}\n`);
}
