/** The first columns to the left, numbers to the right. A row that is shorter than the head ends with a remark of any width. */
export function aligned(rows: readonly (readonly string[])[], leftColumns: number): string {
  const columns = rows[0]?.length ?? 0;
  const whole = rows.filter((row) => row.length === columns);
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...whole.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < leftColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
