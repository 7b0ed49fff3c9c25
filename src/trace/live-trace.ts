/** The trace of one node, from configure to cleanup. */
import type { Logger } from 'pino';
import type { TraceParameters } from '../config/schema.js';
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CoreEvent } from '../core/events.js';
import type { Micros } from '../core/units.js';
import { lockFile } from '../files/file-lock.js';
import { realPlace } from '../files/real-place.js';
import type { Refusal, TraceSink } from '../governor/ports.js';
import { holdsNothing, lockOf } from './own-file.js';
import { RotatingFile } from './rotating-file.js';
import { Scene } from './scene.js';
import { cannotBeWritten, TraceError } from './trace-error.js';
import { headLine, TraceWriter } from './trace-writer.js';

const BYTES_PER_MB = 1_000_000;

export class LiveTrace implements TraceSink {
  readonly #scene: Scene;
  readonly #output: RotatingFile;
  readonly #writer: TraceWriter;
  readonly #release: () => void;

  /** @throws {TraceError} unreadable, when the file cannot be made, or what is there is no trace. */
  private constructor(parameters: TraceParameters, configuration: CoreConfiguration, log: Logger, release: () => void) {
    const { file, max_part_mb: maxPartMb, parts } = parameters;
    const scene = new Scene(configuration);
    this.#scene = scene;
    this.#release = release;
    this.#output = new RotatingFile({
      file,
      maxBytes: maxPartMb * BYTES_PER_MB,
      parts,
      // A part begins with what is in force, since those before it go.
      head: (part, first) => headLine(scene.configuration, part, part === 0 ? { first } : { first, scene: scene.state }),
      failed: (error) => log.error({ err: error, file }, 'the trace cannot be written any more; what comes from now on is not in it'),
    });
    this.#writer = new TraceWriter(this.#output);
    const { former } = this.#output;
    if (former !== undefined) log.info({ file, former }, 'the trace of the run before was set aside');
  }

  /**
   * @returns undefined when none is asked for.
   * @throws {TraceError} in_use, when another process writes it; unreadable, when the file cannot be made, or what is there is no trace.
   */
  static async open(parameters: TraceParameters, configuration: CoreConfiguration, log: Logger): Promise<LiveTrace | undefined> {
    if (parameters.file === '') return undefined;
    const file = placeOf(parameters.file);
    const release = await lockOrRefuse(file);
    try {
      return new LiveTrace({ ...parameters, file }, configuration, log, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  record(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    this.#scene.follow({ event, at, actions });
    this.#writer.record(event, at, actions);
  }

  refused(refusal: Refusal, at: Micros): void {
    this.#writer.refused(refusal, at);
  }

  /** Puts what was told so far into the file. */
  flush(): void {
    this.#output.flush();
  }

  async close(): Promise<void> {
    await this.#output.close();
    this.#release();
  }
}

/** Parts stand beside the trace itself, not beside a link to it, and so does the lock: it has one name. */
function placeOf(file: string): string {
  try {
    return realPlace(file);
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

/** Nothing is to be lost of a device, which has no folder to make a lock in either. */
async function lockOrRefuse(file: string): Promise<() => void> {
  let release: (() => void) | undefined;
  try {
    release = holdsNothing(file) ? () => {} : await lockFile(lockOf(file));
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
  if (release !== undefined) return release;
  throw new TraceError(
    'in_use',
    `${file}: another process writes this trace and holds ${lockOf(file)}; end it, or name another trace.file`,
  );
}
