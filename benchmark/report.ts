/** What a benchmark found, as text: one form for the terminal and for RESULTS.md. Pure. */

export interface FigureTable {
  /** The first column is text, the others are figures. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Section {
  readonly title: string;
  /** What was measured, and how; a paragraph each. */
  readonly method: readonly string[];
  readonly tables: readonly FigureTable[];
  /** What follows: the price beside each gain. */
  readonly conclusions: readonly string[];
  /** The figures for programs. */
  readonly figures: object;
}

export function sectionText({ title, method, tables, conclusions }: Section): string {
  return [
    `## ${title}`,
    ...method.map((text) => wrapped(text)),
    ...tables.map(tableText),
    conclusions.map((line) => wrapped(line, '- ')).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A Markdown table whose columns are aligned in the text too. */
function tableText({ columns, rows }: FigureTable): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, index) => (index === 0 ? (cells[index] ?? '').padEnd(width) : (cells[index] ?? '').padStart(width)));
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  return [line(columns), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}

const LINE_WIDTH = 140;

function wrapped(text: string, first = ''): string {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.length + word.length > LINE_WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = ' '.repeat(first.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
