/** Columns under their headings; text to the left, numbers to the right. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = columns.map((_, column) => rows.every((row) => /^[\d.]*( %)?$/.test(row[column] ?? '')));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ');
  return [columns, ...rows].map((cells) => line(cells).trimEnd()).join('\n');
}
