/** A command of vig in this process: what it writes, and how it would end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, vi } from 'vitest';

export interface Ended {
  readonly out: string;
  readonly error: string;
  readonly status: unknown;
}

export interface CommandRunner {
  /** For files of the test; gone after it. */
  readonly folder: string;
  /** @param text of the file that the command is given as s.yaml, unless it names others. */
  run(text: string, ...options: string[]): Promise<Ended>;
  /** @param commandLine behind the name of the command, as it is. */
  call(...commandLine: string[]): Promise<Ended>;
}

/** For the tests of one file. `register` adds the command, `name` is how it is called. */
export function commandRunner(name: string, register: (program: Command) => void, fileOption?: string): CommandRunner {
  let folder = '';
  let written = { out: '', error: '' };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), `vig-${name}-`));
    written = { out: '', error: '' };
    const hear = (key: 'out' | 'error') => (text: string | Uint8Array) => {
      written[key] += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(hear('out'));
    vi.spyOn(process.stderr, 'write').mockImplementation(hear('error'));
  });

  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
    rmSync(folder, { recursive: true });
  });

  async function call(...commandLine: string[]): Promise<Ended> {
    const program = new Command('vig').exitOverride();
    register(program);
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync([name, ...commandLine], { from: 'user' });
    return { ...written, status: process.exitCode };
  }

  return {
    get folder() {
      return folder;
    },
    call,
    run(text, ...options) {
      const file = join(folder, 's.yaml');
      writeFileSync(file, text);
      return call(...(fileOption === undefined ? [] : [fileOption]), file, ...options);
    },
  };
}
