/** The trace of one node, from configure to cleanup. */
import type { Logger } from 'pino';
import type { TraceParameters } from '../config/schema.js';
import type { CoreConfiguration } from '../core/configuration.js';
import { RotatingFile } from './rotating-file.js';
import { headLine } from './trace-writer.js';

const BYTES_PER_MB = 1_000_000;

/** @returns undefined when none is asked for. @throws {TraceError} unreadable, when the file cannot be made. */
export function openTrace(parameters: TraceParameters, configuration: CoreConfiguration, log: Logger): RotatingFile | undefined {
  const { file, max_part_mb: maxPartMb, parts } = parameters;
  if (file === '') return undefined;
  return new RotatingFile({
    file,
    maxBytes: maxPartMb * BYTES_PER_MB,
    parts,
    head: (part) => headLine(configuration, part),
    failed: (error) => log.error({ err: error, file }, 'the trace cannot be written any more; what comes from now on is not in it'),
  });
}
