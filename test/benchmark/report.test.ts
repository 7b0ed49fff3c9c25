import { expect, it } from 'vitest';
import { sectionText } from '../../benchmark/report.js';

const empty = { title: 'Title', method: [], tables: [], conclusions: [], figures: {} };

it('aligns text to the left and figures to the right', () => {
  const table = {
    columns: ['', 'p50'],
    rows: [
      ['short', '1.00'],
      ['a longer name', '10.00'],
    ],
  };
  expect(sectionText({ ...empty, tables: [table] })).toBe(
    [
      '## Title',
      '',
      '|               |   p50 |',
      '|---------------|------:|',
      '| short         |  1.00 |',
      '| a longer name | 10.00 |',
    ].join('\n'),
  );
});

it('breaks long paragraphs, and indents what goes on of a list entry', () => {
  const text = sectionText({ ...empty, method: [`${'word '.repeat(60)}end`], conclusions: ['short', `${'word '.repeat(60)}end`] });
  const lines = text.split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(140);
  expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/^ {2}(word )*end$/);
  expect(text.match(/word/g)).toHaveLength(120);
});
