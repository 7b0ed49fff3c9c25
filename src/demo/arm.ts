/** One arm of the comparison: a node between the cameras and the server, from its start until the last of its calls has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedOutcome, type WatchedStatus, watchGovernor } from '../ros/outcome-watch.js';
import type { PlainNode } from '../ros/plain-node.js';
import type { ArmReport } from './arm-report.js';
import { ArmStatistics, isDrained, type SeenOutcome, type SeenStatus } from './arm-statistics.js';
import { CLI_FILE, entry, PICTURE_FILE } from './checkout.js';
import { ChildOwner } from './child-process.js';
import { DemoError } from './demo-error.js';
import { GOVERNOR_NODE, NAMESPACE, STREAMS, UNGOVERNED_NODE } from './demo-parameters.js';
import type { DemoServer } from './demo-server.js';
import type { Screen } from './screen.js';
import { readServerLoad } from './server-metrics.js';

const READY_TIMEOUT_MS = 30_000;
/** After the last image: an arm whose calls do not end is not valid. */
const DRAIN_LIMIT_MS = 60_000;
const NODE_STOP_MS = 10_000;
const CAMERAS_STOP_MS = 5000;
const DRAW_INTERVAL_MS = 250;
const POLL_INTERVAL_MS = 50;
/** From the first picture taken to the first that was received, with room for a busy machine. */
const CONNECT_LIMIT_MS = 10_000;
const MAX_ATTEMPTS = 3;

export interface ArmOptions {
  readonly governor: boolean;
  readonly seconds: number;
  readonly parameterFile: string;
  readonly server: DemoServer;
  readonly plain: PlainNode;
  readonly screen: Screen;
  readonly abort: AbortSignal;
}

/**
 * On a machine that is very busy the middleware takes a process for dead that only waits for a processor, and nothing reaches it any
 * more. Then node and cameras are started anew.
 * @throws {DemoError} when something does not start, ends by itself, or the demo is interrupted.
 */
export async function runArm(options: ArmOptions): Promise<ArmReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryArm(options);
    } catch (error) {
      if (!(error instanceof DemoError) || error.code !== 'not_connected' || attempt === MAX_ATTEMPTS) throw error;
      options.screen.say(`${error.message}; starting both anew`);
    }
  }
}

async function tryArm(options: ArmOptions): Promise<ArmReport> {
  const { plain, screen, governor } = options;
  const statistics = new ArmStatistics(new Map(STREAMS.map(({ name, maxAgeMs }) => [name, maxAgeMs])));
  let statuses = 0;
  const stopWatching = watchGovernor(plain, `${NAMESPACE}/${governor ? GOVERNOR_NODE : UNGOVERNED_NODE}`, {
    outcome: (outcome, publishedUs) => statistics.outcome(seenOutcome(outcome, publishedUs)),
    status: (status) => {
      statuses += 1;
      statistics.seen(seenStatus(status));
    },
    problem: (error) => screen.say(`a message of the node could not be read: ${String(error)}`),
  });
  try {
    const node = startNode(options);
    try {
      await node.untilTrue(() => Promise.resolve(statistics.status?.ready === true), READY_TIMEOUT_MS, options.abort);
      await film(options, node, statistics);
      const drained = await untilDrained(options, node, statistics, () => statuses);
      return report(options, statistics, drained);
    } finally {
      await node.stop();
    }
  } finally {
    stopWatching();
  }
}

function startNode({ governor, parameterFile }: ArmOptions): ChildOwner {
  const run = [CLI_FILE, 'run', '--ros-args', '-r', `__ns:=${NAMESPACE}`, '--params-file', parameterFile, '--log-level', 'warn'];
  return new ChildOwner({
    name: governor ? 'the governor' : 'the node without a governor',
    command: process.execPath,
    arguments: [...process.execArgv, ...(governor ? run : [entry('ungoverned-main'), parameterFile])],
    stopTimeoutMs: NODE_STOP_MS,
  });
}

/** Lets the cameras run for the time of the arm. */
async function film(options: ArmOptions, node: ChildOwner, statistics: ArmStatistics): Promise<void> {
  const cameras = new ChildOwner({
    name: 'the cameras',
    command: process.execPath,
    arguments: [entry('camera-main'), PICTURE_FILE],
    stopTimeoutMs: CAMERAS_STOP_MS,
  });
  try {
    await cameras.untilLine(/^cameras: filming$/, READY_TIMEOUT_MS, options.abort);
    await untilConnected(statistics, options.abort);
    const startMs = performance.now();
    for (let pastMs = 0; pastMs < options.seconds * 1000; pastMs = performance.now() - startMs) {
      for (const part of [cameras, node, options.server]) part.mustRun();
      options.screen.draw({ governor: options.governor, seconds: options.seconds, pastSeconds: pastMs / 1000, statistics });
      await pause(Math.min(DRAW_INTERVAL_MS, options.seconds * 1000 - pastMs), options.abort);
    }
  } finally {
    await cameras.stop();
  }
}

/** @throws {DemoError} `not_connected`, `interrupted`. */
async function untilConnected(statistics: ArmStatistics, abort: AbortSignal): Promise<void> {
  const end = performance.now() + CONNECT_LIMIT_MS;
  for (;;) {
    const deaf = STREAMS.find(({ name }) => statistics.now(name).received === 0);
    if (deaf === undefined) return;
    if (performance.now() > end) throw new DemoError('not_connected', `no picture of the ${deaf.title} reached the node`);
    await pause(POLL_INTERVAL_MS, abort);
  }
}

/**
 * Twice in a row the node says that every frame has its outcome, and the server that nothing waits and nothing has ended since.
 * @returns why not, when the time is over
 */
async function untilDrained(
  { server, abort }: ArmOptions,
  node: ChildOwner,
  statistics: ArmStatistics,
  statuses: () => number,
): Promise<string | undefined> {
  const end = performance.now() + DRAIN_LIMIT_MS;
  let before: { readonly statuses: number; readonly received: number; readonly ended: number } | undefined;
  while (performance.now() < end) {
    for (const part of [node, server]) part.mustRun();
    const { status } = statistics;
    const now = { statuses: statuses(), received: receivedBy(status), ended: 0 };
    if (now.statuses !== before?.statuses) {
      const load = await readServerLoad(server.metricsPort).catch(() => undefined);
      const quiet = status !== undefined && isDrained(status) && load?.pending === 0;
      const same = before?.received === now.received && before.ended === load?.ended;
      if (quiet && before !== undefined && same) return undefined;
      before = quiet ? { ...now, ended: load.ended } : undefined;
    }
    await pause(POLL_INTERVAL_MS, abort);
  }
  return `calls had not ended ${DRAIN_LIMIT_MS / 1000} s after the last image`;
}

function receivedBy(status: SeenStatus | undefined): number {
  return status?.streams.reduce((sum, { received }) => sum + received, 0) ?? 0;
}

function report({ governor, seconds }: ArmOptions, statistics: ArmStatistics, because: string | undefined): ArmReport {
  return {
    governor,
    seconds,
    valid: because === undefined,
    ...(because === undefined ? {} : { invalid_because: because }),
    streams: statistics.streams(),
    in_flight_max: statistics.inFlightMax(),
  };
}

/** @throws {DemoError} `interrupted`. */
async function pause(ms: number, abort: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: abort });
  } catch (cause) {
    throw new DemoError('interrupted', 'interrupted', { cause });
  }
}

function seenOutcome(outcome: WatchedOutcome, publishedUs: number): SeenOutcome {
  const { stream, state_text: state, cause_text: cause, age_us: ageUs, service_us: serviceUs } = outcome;
  const { sec, nanosec } = outcome.header.stamp;
  return { stream, state, cause, ageUs, serviceUs, endUs: sec * 1e6 + Math.floor(nanosec / 1000) + ageUs, publishedUs };
}

function seenStatus({ ready, streams, backends }: WatchedStatus): SeenStatus {
  return {
    ready,
    inFlight: backends.reduce((sum, backend) => sum + backend.in_flight, 0),
    streams: streams.map(({ stream, received, waiting, in_flight: inFlight, lost_before_node: lostBeforeNode, ...outcomes }) => ({
      stream,
      received,
      waiting,
      inFlight,
      lostBeforeNode,
      outcomes,
    })),
  };
}
