/** The difference between the arms, said in words. Pure. */
import type { ArmReport, StreamReport } from './arm-report.js';
import { type DemoStream, STREAMS } from './demo-parameters.js';

export function conclusion(governed: ArmReport, ungoverned: ArmReport): string {
  return STREAMS.map((stream) => {
    const [with_, without] = [governed.streams[stream.name], ungoverned.streams[stream.name]];
    if (with_ === undefined || without === undefined) return `${nameOf(stream)}: nothing was measured.`;
    return `${nameOf(stream)}: ${fresh(with_, governed)} with the governor, ${fresh(without, ungoverned)} without.${ages(with_, without)}`;
  }).join('\n');
}

function nameOf({ title, guarded }: DemoStream): string {
  return `${title.charAt(0).toUpperCase()}${title.slice(1)} (${guarded ? 'protected' : 'takes what is left'})`;
}

function fresh({ outcomes }: StreamReport, { seconds }: ArmReport): string {
  return `${(outcomes.delivered / seconds).toFixed(1)} results in time a second`;
}

function ages(with_: StreamReport, without: StreamReport): string {
  const [a, b] = [with_.age_ms.p50, without.age_ms.p50];
  if (a === null || b === null) return '';
  return ` Typical age of a result: ${Math.round(a)} ms, without ${Math.round(b)} ms (useful up to ${with_.contract.max_age_ms} ms).`;
}
