/** Runs the command of a benchmark on what was typed. */
import { type Command, CommanderError } from 'commander';
import { EXIT_REFUSED } from '../src/cli/refusal.js';

/** A command line that is wrong sets the exit status; commander has said what is wrong. */
export async function runCommand(program: Command): Promise<void> {
  try {
    await program.exitOverride().parseAsync(process.argv.slice(2), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_REFUSED;
  }
}
