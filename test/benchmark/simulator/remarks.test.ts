import { expect, it } from 'vitest';
import { parseRemarks, refuseStrays } from '../../../benchmark/simulator/remarks.js';

it('finds remarks by the title of their section, with what headings they have themselves', () => {
  const remarks = parseRemarks('Words before are for those who edit.\n\n## One\n\nFirst.\n\n### Inside\n\nMore.\n\n## Two\n\nSecond.\n');
  expect([...remarks]).toEqual([
    ['One', 'First.\n\n### Inside\n\nMore.'],
    ['Two', 'Second.'],
  ]);
});

it('refuses two remarks under one title, and one that belongs nowhere', () => {
  expect(() => parseRemarks('## One\n\na\n\n## One\n\nb\n')).toThrow('two remarks under "One"');
  expect(() => refuseStrays(parseRemarks('## Onne\n\na\n'), ['One'])).toThrow('no section is called "Onne"');
});
