/** Writes what is derived: docs/parameters.md, docs/reasons.md, config/governor.yaml, the pictures of docs/decisions.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleFile } from '../config/example.js';
import { referenceDocument } from '../config/reference.js';
import { decisionPictures } from './decision-pictures.js';
import { reasonsDocument } from './reasons.js';

for (const [file, text] of [
  ['docs/parameters.md', referenceDocument()],
  ['docs/reasons.md', reasonsDocument()],
  ['config/governor.yaml', exampleFile()],
  ...decisionPictures(pathTo('docs/decisions')).map(({ name, svg }) => [`docs/decisions/${name}.svg`, svg] as const),
] as const) {
  const path = pathTo(file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`wrote ${file}\n`);
}

function pathTo(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}
