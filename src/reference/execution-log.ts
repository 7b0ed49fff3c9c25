/** What truly ran: a line in a file for every execution that begins and ends, as soon as it does. */
import { closeSync, openSync, writeSync } from 'node:fs';

export interface RunningCall {
  readonly model: string;
  /** Of the request, as its caller gave it. */
  readonly id: string;
}

export class ExecutionLog {
  readonly #file: number;

  /** Appends. @throws {Error} of the operating system when the file cannot be written. */
  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  began(call: RunningCall): void {
    this.#write('begin', call);
  }

  ended(call: RunningCall): void {
    this.#write('end', call);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(event: 'begin' | 'end', { model, id }: RunningCall): void {
    const monotonicUs = Number(process.hrtime.bigint() / 1000n);
    writeSync(this.#file, `${JSON.stringify({ monotonic_us: monotonicUs, event, model, id, pid: process.pid })}\n`);
  }
}
