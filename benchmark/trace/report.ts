/** The overhead of a trace as text and as one object. Pure. */
import { table } from '../chaos/table.js';
import { type Host, hostText } from '../host.js';
import { shown, spreadOf } from '../statistics.js';
import type { Arm } from './arm.js';
import type { Compression } from './compression.js';
import { FRAMES_PER_SECOND } from './world.js';

export interface Pair {
  readonly without: Arm;
  readonly traced: Arm;
}

export interface Measured {
  readonly host: Host;
  readonly pairs: readonly Pair[];
  readonly trace: { readonly eventsPerSecond: number; readonly bytesPerSecond: number };
  /** An event, with nothing else around; one a repeat. */
  readonly writingUs: readonly number[];
  readonly compressions: readonly Compression[];
}

const GOAL_PERCENT = 5;
const MB = 1_000_000;

export function measuredText({ host, pairs, trace, writingUs, compressions }: Measured): string {
  const cpu = (arm: Arm) => arm.cpuUsPerFrame.toFixed(0);
  const share = ({ delivered, frames }: Arm) => `${((100 * delivered) / frames).toFixed(0)} %`;
  const percent = (value: number) => value.toFixed(1);
  const rows = pairs.map((pair, index) => [
    `${index + 1}`,
    cpu(pair.without),
    cpu(pair.traced),
    ratioOf(pair).toFixed(3),
    share(pair.without),
    share(pair.traced),
  ]);
  const ratio = spreadOf(pairs.map(ratioOf));
  const of = (key: keyof Compression, digits: number) => shown(spreadOf(compressions.map((one) => one[key])), digits);
  return [
    hostText(host),
    table(['pair', 'CPU µs a frame', 'with a trace', 'ratio', 'delivered', 'with a trace'], rows),
    `ratio: ${shown(ratio, 3)}, so the trace costs ${percent(100 * (ratio.median - 1))} % more CPU a frame (goal: under ${GOAL_PERCENT} %)\n` +
      `by itself: ${shown(spreadOf(writingUs), 1)} µs an event, ${percent(writingPercent(pairs, trace, writingUs))} % of the CPU of a frame\n` +
      `trace: ${trace.eventsPerSecond.toFixed(0)} events/s, ${((60 * trace.bytesPerSecond) / MB).toFixed(1)} MB a minute`,
    table(
      ['compressing a part', 'of MB', 'ratio', 'CPU ms', 'took ms', 'loop late p99 ms', 'at rest'],
      [['', of('megabytes', 0), of('ratio', 2), of('cpuMs', 0), of('tookMs', 0), of('loopLateMs', 1), of('loopLateAtRestMs', 1)]],
    ),
  ].join('\n\n');
}

export function measuredJson({ host, pairs, trace, writingUs, compressions }: Measured): object {
  const arm = ({ frames, delivered, cpuUsPerFrame }: Arm) => ({ frames, delivered, cpu_us_per_frame: cpuUsPerFrame });
  return {
    host,
    ratio: spreadOf(pairs.map(ratioOf)),
    pairs: pairs.map((pair) => ({ without: arm(pair.without), with: arm(pair.traced), ratio: ratioOf(pair) })),
    trace: { events_per_second: trace.eventsPerSecond, bytes_per_second: trace.bytesPerSecond },
    writing_us_per_event: spreadOf(writingUs),
    writing_percent: writingPercent(pairs, trace, writingUs),
    compressions: compressions.map(({ megabytes, ratio, cpuMs, tookMs, loopLateMs, loopLateAtRestMs }) => ({
      megabytes,
      ratio,
      cpu_ms: cpuMs,
      took_ms: tookMs,
      loop_late_p99_ms: loopLateMs,
      loop_late_at_rest_p99_ms: loopLateAtRestMs,
    })),
  };
}

function ratioOf({ without, traced }: Pair): number {
  return traced.cpuUsPerFrame / without.cpuUsPerFrame;
}

/** Of what a frame costs without a trace. */
function writingPercent(pairs: Measured['pairs'], trace: Measured['trace'], writingUs: Measured['writingUs']): number {
  const eventsPerFrame = trace.eventsPerSecond / FRAMES_PER_SECOND;
  const frameUs = spreadOf(pairs.map(({ without }) => without.cpuUsPerFrame)).median;
  return (100 * eventsPerFrame * spreadOf(writingUs).median) / frameUs;
}
