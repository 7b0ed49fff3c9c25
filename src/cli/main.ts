/** `vig`: one file a command. What a command needs is loaded when it is called. */
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../version.js';
import { registerDecide } from './decide.js';
import { registerDemo } from './demo.js';
import { tellFailure } from './failure.js';
import { EXIT_REFUSED } from './refusal.js';
import { registerReplay } from './replay.js';
import { registerRun } from './run.js';
import { registerServeReference } from './serve-reference.js';
import { registerSimulate } from './simulate.js';
import { watchStandardStreams } from './standard-streams.js';
import { registerTrace } from './trace.js';

watchStandardStreams();
const program = new Command('vig')
  .description('Only work that will still be fresh is started on the inference server, and every frame gets its reason.')
  .version(packageVersion(), '-V, --version', 'print the version')
  .showHelpAfterError('(add --help for what is possible)')
  .exitOverride();
for (const register of [registerDecide, registerDemo, registerReplay, registerRun, registerServeReference, registerSimulate, registerTrace])
  register(program);

process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return; // the node ends in order
  tellFailure(error);
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_REFUSED; // commander has said what is wrong
  else tellFailure(error);
}
