/** Where a path leads, also when nothing is there yet. */
import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Links are followed. @throws {Error} of the operating system when the folder is not there. */
export function realPlace(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const link = linkOf(file);
  if (link !== undefined) return realPlace(path.resolve(path.dirname(file), link));
  return path.join(realpathSync(path.dirname(file)), path.basename(file));
}

/** A link to what is not there yet. */
function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
