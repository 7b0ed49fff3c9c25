/** Traces of random sequences, of every scheduling policy. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { headLine, TraceWriter } from '../../src/trace/trace-writer.js';
import { POLICIES, type PolicyCase } from '../core/policies.js';
import { sequences } from '../core/sequences.js';
import { World } from '../core/world.js';

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'vig-trace-'));
}

/** Each random sequence as the lines of a trace. */
export function traces(policy: PolicyCase, numRuns: number): string[][] {
  return fc.sample(sequences(policy), { numRuns, seed: 7 }).map(([configuration, steps, late]) => {
    const world = new World(configuration, !late);
    for (const step of steps) world.run(step);
    const lines = [headLine(configuration, 0)];
    const writer = new TraceWriter({ write: (line) => lines.push(line) });
    let told = 0;
    for (const { at, event, actions } of world.handed) {
      writer.record(event, at, actions);
      told += actions.length;
    }
    if (told !== world.told.length) throw new Error('the world told more than was handed in');
    return lines;
  });
}

/** The longest of some. */
export function longTrace(): string[] {
  const [ordered] = POLICIES;
  if (ordered === undefined) throw new Error('there is no policy');
  return traces(ordered, 20).sort((one, other) => other.length - one.length)[0] ?? [];
}

export function written(lines: readonly string[], file = join(scratchFolder(), 'run.trace')): string {
  writeFileSync(file, lines.join(''));
  return file;
}
