import { readFileSync } from 'node:fs';

/** The version in package.json, which stands above `src` and `dist` alike. */
export function packageVersion(): string {
  const contents: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof contents === 'object' && contents !== null && 'version' in contents && typeof contents.version === 'string')
    return contents.version;
  throw new Error('package.json has no version');
}
