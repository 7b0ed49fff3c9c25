import { expect, it } from 'vitest';
import { withPart } from '../../benchmark/results-file.js';

it('keeps the part of the other command, whichever is written first', () => {
  const one = withPart('', 'bench', '# Live\n\nold');
  const both = withPart(one, 'figures', '# Policies');
  expect(both).toContain('old');
  expect(both.indexOf('# Policies')).toBeLessThan(both.indexOf('# Live'));
  const again = withPart(both, 'bench', '# Live\n\nnew');
  expect(again).not.toContain('old');
  expect(again).toContain('# Policies');
});

it('says the same again when nothing has changed', () => {
  const file = withPart(withPart('', 'bench', 'live'), 'figures', 'policies');
  expect(withPart(file, 'figures', 'policies')).toBe(file);
});

it('replaces what lies outside of the parts', () => {
  expect(withPart('# An older form\n', 'bench', 'live')).not.toContain('older');
});
