/** What a node writes is nothing that it reads, and no file has two uses. */
import { ConfigurationError, type Problem } from '../config/problem.js';
import { showValue } from '../config/setting.js';
import type { Configuration } from '../config/validate.js';
import { clashesOf, type Source, type Target } from '../files/targets.js';
import { lockOf } from '../trace/own-file.js';
import { asPart } from '../trace/parts.js';

/** @throws {ConfigurationError} `invalid`, with each file that would be written over. */
export async function refuseOverwrites(configuration: Configuration, parameterFiles: readonly string[]): Promise<void> {
  const { learning, trace } = configuration.parameters;
  const targets: readonly Target[] = [
    { option: 'learning.state_file', path: named(learning.state_file) },
    { option: 'trace.file', path: named(trace.file) },
  ];
  const clashes = await clashesOf(targets, [
    ...parameterFiles.map((path) => ({ what: `the parameter file ${path}`, path })),
    ...certificateFiles(configuration),
    ...traceFiles(trace.file, learning.state_file),
  ]);
  const problems = [...clashes].map(([{ option, path = '' }, text]): Problem => {
    const place = configuration.placeOf(option.split('.'));
    return { ...(place === undefined ? {} : { place }), key: option, value: showValue(path), text };
  });
  if (problems.length > 0) throw new ConfigurationError('invalid', problems);
}

/** What stands beside a trace, or will. */
function traceFiles(trace: string, stateFile: string): Source[] {
  if (trace === '') return [];
  const lock = { what: 'held as long as trace.file is written', path: lockOf(trace) };
  return asPart(stateFile)?.file === trace ? [lock, { what: 'the name of a part of trace.file', path: stateFile }] : [lock];
}

function named(path: string): string | undefined {
  return path === '' ? undefined : path;
}

const TLS_FILES = ['ca_file', 'certificate_file', 'key_file'] as const;

function certificateFiles({ parameters }: Configuration): Source[] {
  return Object.entries(parameters.backends).flatMap(([name, { tls }]) =>
    TLS_FILES.flatMap((key) => {
      const path = tls?.[key];
      return path === undefined ? [] : [{ what: `read as backends.${name}.tls.${key}`, path }];
    }),
  );
}
