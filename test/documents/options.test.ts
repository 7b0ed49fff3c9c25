import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { registerReplay } from '../../src/cli/replay.js';
import { registerSimulate } from '../../src/cli/simulate.js';
import { policyFaults } from '../../src/simulator/policies.js';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

it.each([
  ['replay', registerReplay],
  ['simulate', registerSimulate],
] as const)('the page of vig %s has every option of it', (name, register) => {
  const program = new Command();
  register(program);
  const options = program.commands.flatMap((command) => command.options.map(({ long }) => long ?? ''));
  expect(options.length).toBeGreaterThan(5);
  expect(options.filter((option) => !page(name).includes(`\`${option}`))).toEqual([]);
});

it('the page of vig simulate has every policy', () => {
  const known = /expected some of (.*)$/.exec(policyFaults(['zzzzzzzz'])[0] ?? '')?.[1]?.split(', ') ?? [];
  expect(known).toContain('governor-planned');
  expect(known.filter((policy) => !page('simulate').includes(`| \`${policy}\` |`))).toEqual([]);
});
