/** Status and diagnostics at their times, by the clock of a replay. */
import type { Parameters } from '../../config/schema.js';
import { micros, millis } from '../../core/units.js';
import type { Clock } from '../../governor/ports.js';
import { StatusBroadcast, TICK_MS, TICKS_PER_PERIOD } from '../../ros/status-broadcast.js';
import { longestSilenceMs } from '../../ros/stream-input.js';
import type { DiagnosticStatus } from '../../telemetry/diagnostics.js';
import type { GovernorStatus } from '../../telemetry/status.js';
import { GAP_NS } from '../log-gaps.js';
import type { NodeTopics } from './node-topics.js';

/** Where nothing has come for so long, and nothing can change, one period in so many is enough: a gap in a bag can be days long. */
const STILL_US = GAP_NS / 1000;
const PERIODS_PER_STILL_REPORT = 60;

export interface ReportedNode {
  status(): GovernorStatus;
  diagnostics(): readonly DiagnosticStatus[];
  /** For how long nothing has come on a stream. */
  silentUs(stream: string): number;
  /** Whether something can change while nothing comes. */
  isBusy(): boolean;
}

/**
 * From now on, as long as the clock is kept; first after a step, as the live node does: by then something can have come.
 * @returns what tells how it ended, when it has.
 */
export function reportRegularly(node: ReportedNode, { streams }: Parameters, clock: Clock, topics: NodeTopics): () => void {
  const silenceUs = new Map(Object.entries(streams).map(([name, stream]) => [name, millis(longestSilenceMs(stream))]));
  const broadcast = new StatusBroadcast(
    {
      status: () => node.status(),
      isSilent: (stream) => node.silentUs(stream) > (silenceUs.get(stream) ?? 0),
      look: () => {},
      publishStatus: (status) => topics.status(status),
      publishDiagnostics: () => topics.diagnostics(node.diagnostics()),
    },
    {
      error: ({ err }: { readonly err: unknown }) => {
        throw err;
      },
    },
  );
  const names = Object.keys(streams);
  const isStill = () => !node.isBusy() && names.every((name) => node.silentUs(name) > STILL_US);
  const next = (ticks: number) => clock.schedule(micros(clock.now() + ticks * millis(TICK_MS)), tick);
  let ticks = 0;
  const tick = (): void => {
    const period = ticks / TICKS_PER_PERIOD;
    const isLeftOut = Number.isInteger(period) && period % PERIODS_PER_STILL_REPORT !== 0 && isStill();
    if (!isLeftOut) broadcast.tick();
    const step = isLeftOut ? TICKS_PER_PERIOD : 1;
    ticks += step;
    next(step);
  };
  next(1);
  return () => {
    topics.status(node.status());
    topics.diagnostics(node.diagnostics());
  };
}
