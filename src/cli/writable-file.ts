/** Whether a result can be put where somebody wants it. */

/** Asked before the work, not after it. @returns undefined when it can. */
export async function whyNotWritable(file: string): Promise<string | undefined> {
  const { access, constants, stat } = await import('node:fs/promises');
  const { dirname } = await import('node:path');
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) return 'is a folder; name a file in it';
  const place = there === undefined ? dirname(file) : file;
  return access(place, constants.W_OK).then(
    () => undefined,
    () => `cannot write to ${place}: it does not exist, or is not yours to write`,
  );
}
