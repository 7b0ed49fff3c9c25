/** Standard output and standard error of every command: the disk behind them may be full, or their reader gone. */
import { WriteError } from '../files/write-error.js';
import { tellFailure } from './failure.js';

const FIRST_SIGNAL_STATUS = 128;

/** For the life of the process. */
export function watchStandardStreams(): void {
  process.stderr.on('error', () => {}); // whom should it be told?
  process.stdout.on('error', heard);
}

/** The command goes on: what it was asked to write elsewhere is still of use. */
function heard(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return; // its reader has seen enough
  process.stdout.off('error', heard).on('error', () => {});
  const tell = () => tellFailure(new WriteError('the standard output', error));
  // The last word, whatever the command made of it: nobody has its report.
  process.on('exit', (status) => {
    if (status < FIRST_SIGNAL_STATUS) tell();
  });
}
