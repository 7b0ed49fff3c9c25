/** The difference between the arms, said in words. Pure. */
import type { ArmReport, StreamReport } from './arm-report.js';
import { type DemoStream, STREAMS } from './demo-parameters.js';

export function conclusion(governed: ArmReport, ungoverned: ArmReport): string {
  return STREAMS.flatMap((stream) => {
    const [with_, without] = [governed.streams[stream.name], ungoverned.streams[stream.name]];
    if (with_ === undefined || without === undefined) return [];
    const gain = `${rate(with_, governed)} useful results a second with the governor, ${rate(without, ungoverned)} without`;
    return [`${nameOf(stream)}: ${gain}.`, ...ages(with_, without)];
  }).join('\n');
}

function nameOf({ title }: DemoStream): string {
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

function rate({ outcomes }: StreamReport, { seconds }: ArmReport): string {
  return (outcomes.delivered / seconds).toFixed(1);
}

function ages({ age_ms: { p50: a }, contract }: StreamReport, { age_ms: { p50: b } }: StreamReport): readonly string[] {
  if (a === null || b === null) return [];
  return [
    `  Half of its results were younger than ${Math.round(a)} ms, without ${Math.round(b)} ms; they are of use up to ${contract.max_age_ms} ms.`,
  ];
}
