import type { Command } from 'commander';
import { EXIT_FAILED } from './failure.js';
import { EXIT_REFUSED, orRefuse } from './refusal.js';

const EXIT_DIFFERS = 1;

export function registerDecide(program: Command): void {
  program
    .command('decide')
    .description('Timed events in, decisions with their reasons out; what a script expects is checked.')
    .argument('<script>', 'decision script in YAML (docs/decide.md)')
    .option('--json', 'print one object a line; the last one is the summary')
    .addHelpText(
      'after',
      `\nExit status: 0 all is as the script expects, ${EXIT_DIFFERS} something differs (said on standard error), ${EXIT_REFUSED} the script is wrong, ${EXIT_FAILED} something failed that nobody foresaw.`,
    )
    .action(decide);
}

async function decide(file: string, { json }: { readonly json?: true }): Promise<void> {
  const { listing } = await import('../decide/listing.js');
  const { runScript } = await import('../decide/run-script.js');
  const { readScript } = await import('../decide/script-file.js');
  const script = await orRefuse(() => readScript(file));
  if (script === undefined) return;
  const decided = runScript(script);
  const objects = [...decided.lines.map(({ line }) => line), decided.summary];
  process.stdout.write(json ? `${objects.map((object) => JSON.stringify(object)).join('\n')}\n` : listing(decided));
  for (const difference of decided.differences) process.stderr.write(`${difference}\n`);
  if (decided.differences.length > 0) process.exitCode = EXIT_DIFFERS;
}
