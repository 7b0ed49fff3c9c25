import { readdirSync, readFileSync } from 'node:fs';

/** The process that executes a model of Triton's Python backend. @throws {Error} when there is none. @param server its process */
export function processOfModel(server: number, model: string): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = processes.find(
    (name) => parentOf(name) === server && argumentsOf(name).some((text) => text.endsWith(`/${model}/1/model.py`)),
  );
  if (found === undefined) throw new Error(`Triton ${server} has no process for ${model}`);
  return Number(found);
}

function argumentsOf(process: string): string[] {
  return read(`/proc/${process}/cmdline`).split('\0');
}

function parentOf(process: string): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(read(`/proc/${process}/status`))?.[1]);
}

/** Empty when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
