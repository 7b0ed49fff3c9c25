/** A server may send a whole stack trace. */
const MAX_LENGTH = 500;

/** What a server wrote, for a log, a terminal or an outcome: one line of bounded length without control characters. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * MAX_LENGTH)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.slice(0, MAX_LENGTH);
}
