/** What cannot be taken as it was given: a line for each problem on standard error, and an exit status of its own. */

export const EXIT_REFUSED = 2;

export function refuse(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  process.exitCode = EXIT_REFUSED;
}

/** @returns undefined when the file was refused. */
export async function orRefuse<T>(read: () => T): Promise<T | undefined> {
  const { ConfigurationError } = await import('../config/problem.js');
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    refuse(error.message);
    return undefined;
  }
}
