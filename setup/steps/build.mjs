// @ts-check
// TypeScript to dist, made aside and put in place whole.
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { made, root } from '../lib/context.mjs';
import { generateTypes } from '../lib/generate.mjs';
import { putInPlace } from '../lib/put-in-place.mjs';
import { contentsOf } from '../lib/stamp.mjs';

const dist = path.join(root, 'dist');
const aside = path.join(made, 'dist');
const source = path.join(root, 'src');

/** @type {import('../lib/steps.mjs').Step} */
export default {
  name: 'build',
  title: 'TypeScript',
  needs: ['packages'],
  remedy: 'correct what the compiler says, then run the same command again',
  inputs: () => contentsOf('src', 'tsconfig.json', 'tsconfig.build.json', 'setup/lib/generate.mjs'),
  outputs: () => [path.join(dist, 'cli/main.js')],
  async run(run) {
    rmSync(aside, { recursive: true, force: true });
    await generateTypes(run);
    await run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', aside]);
    // Protocol definitions, Python models and the like are read at run time from beside the code.
    const isAsset = (/** @type {string} */ file) => !file.endsWith('.ts') && !file.includes('__pycache__');
    if (existsSync(source)) cpSync(source, aside, { recursive: true, filter: isAsset });
    putInPlace(aside, dist);
  },
};
