/** Status and diagnostics at their times, by the clock of a replay. */
import type { Parameters } from '../../config/schema.js';
import { micros, millis } from '../../core/units.js';
import type { Clock } from '../../governor/ports.js';
import { StatusBroadcast, TICK_MS } from '../../ros/status-broadcast.js';
import { longestSilenceMs } from '../../ros/stream-input.js';
import type { DiagnosticStatus } from '../../telemetry/diagnostics.js';
import type { GovernorStatus } from '../../telemetry/status.js';
import type { NodeTopics } from './node-topics.js';

export interface ReportedNode {
  status(): GovernorStatus;
  diagnostics(): readonly DiagnosticStatus[];
  /** For how long nothing has come on a stream. */
  silentUs(stream: string): number;
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
  const next = () => clock.schedule(micros(clock.now() + millis(TICK_MS)), tick);
  const tick = (): void => {
    broadcast.tick();
    next();
  };
  next();
  return () => {
    topics.status(node.status());
    topics.diagnostics(node.diagnostics());
  };
}
