/** `vig` as a process of its own, from source: what a shell sees of it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
/** The program and its first arguments. */
export const VIG: readonly [program: string, ...first: string[]] = [
  process.execPath,
  fileURLToPath(new URL('setup/run-typescript.mjs', ROOT)),
  fileURLToPath(new URL('src/cli/main.ts', ROOT)),
];

export interface EndedProcess {
  readonly out: string;
  readonly error: string;
  readonly status: number | null;
}

export interface VigProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedProcess>;
}

/** @param options of the process; its output is collected unless they send it elsewhere. */
export function startVig(commandLine: readonly string[], options: SpawnOptions = {}): VigProcess {
  const [program, ...first] = VIG;
  const child = spawn(program, [...first, ...commandLine], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const [out, error] = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream).catch(() => ''))); // a test may close it
  const ended = once(child, 'close').then(async ([status]) => ({
    out: (await out) ?? '',
    error: (await error) ?? '',
    status: typeof status === 'number' ? status : null,
  }));
  return { child, ended };
}
