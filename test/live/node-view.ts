/** What a node shows of itself, as a peer that subscribed to it has seen it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Outcome, type PlainMessage, type RosPeer, type Send } from './ros-peer.js';

const STATUS = '/governor/status';
const OUTCOMES = '/governor/outcomes';
const DIAGNOSTICS = '/diagnostics';

export const IMAGE = 'sensor_msgs/msg/Image';

/** Subscribes to what a node says of itself, and to the results of these streams. */
export async function watchNode(peer: RosPeer, streams: readonly string[]): Promise<void> {
  await peer.subscribe(OUTCOMES, 'vigilant_governor/msg/Outcome');
  await peer.subscribe(STATUS, 'vigilant_governor/msg/GovernorStatus');
  await peer.subscribe(DIAGNOSTICS, 'diagnostic_msgs/msg/DiagnosticArray');
  for (const stream of streams) await peer.subscribe(`/governor/${stream}/result`, 'vigilant_governor/msg/InferenceResult');
}

/** The newest status of a stream. */
export function streamStatus(peer: RosPeer, name: string): PlainMessage {
  return entry(peer, 'streams', 'stream', name);
}

/** The newest status of a backend. */
export function backendStatus(peer: RosPeer, name: string): PlainMessage {
  return entry(peer, 'backends', 'backend', name);
}

function entry(peer: RosPeer, list: string, key: string, name: string): PlainMessage {
  const entries = (peer.messages(STATUS).at(-1)?.[list] ?? []) as readonly PlainMessage[];
  return entries.find((candidate) => candidate[key] === name) ?? {};
}

/** Nothing that was sent is still on its way: two reports of status follow, nothing is open, and no outcome has come meanwhile. */
export async function settled(peer: RosPeer, streams: readonly string[]): Promise<void> {
  const count = () => peer.messages(OUTCOMES).length;
  let before = -1;
  await eventually('nothing is under way', async () => {
    const seen = peer.messages(STATUS).length;
    await eventually('a status', () => peer.messages(STATUS).length > seen + 1);
    const open = (name: string) => Number(streamStatus(peer, name)['in_flight']) + Number(streamStatus(peer, name)['waiting']);
    const quiet = count() === before && streams.every((name) => open(name) === 0);
    before = count();
    return quiet;
  });
}

/** Sends a message to the topic named like its stream, and gives back its outcome; best effort may lose one, then it sends another. */
export async function outcomeOf(peer: RosPeer, stream: string, message: Pick<Send, 'fields' | 'stamp'>): Promise<Outcome> {
  const from = peer.outcomes(stream).length;
  const sent = new Set<string>();
  let outcome: Outcome | undefined;
  await eventually(`${stream} has an outcome`, async () => {
    const [[sec, nanosec] = [0, 0]] = await peer.send({ topic: `/${stream}`, count: 1, periodMs: 0, ...message });
    sent.add(`${sec}.${nanosec}`);
    for (let look = 0; look < LOOKS && outcome === undefined; look += 1) {
      await sleep(LOOK_MS);
      const isOf = ({ header: { stamp } }: Outcome) => sent.has(`${stamp.sec}.${stamp.nanosec}`);
      outcome = peer.outcomes(stream).slice(from).find(isOf);
    }
    return outcome !== undefined;
  });
  if (outcome === undefined) throw new Error('unreachable');
  return outcome;
}

/** How long an outcome may take before its message counts as lost. */
const LOOKS = 200;
const LOOK_MS = 25;

/** The first outcome of a stream that comes after `from` others and is like this. */
export async function outcomeAfter(peer: RosPeer, stream: string, from: number, cause: string): Promise<Outcome> {
  let found: Outcome | undefined;
  await eventually(`${stream} ends a frame as ${cause}`, () => {
    found = peer
      .outcomes(stream)
      .slice(from)
      .find((outcome) => outcome.cause_text === cause);
    return found !== undefined;
  });
  if (found === undefined) throw new Error('unreachable');
  return found;
}

export interface Diagnostic {
  /** 0 OK, 1 WARN, 2 ERROR. */
  readonly level: number;
  readonly message: string;
  readonly hint: string;
}

/** Every report of one diagnostic, oldest first. @param name for instance `stream front` */
export function diagnostics(peer: RosPeer, name: string): readonly Diagnostic[] {
  return peer.messages(DIAGNOSTICS).flatMap((array) => {
    const statuses = array['status'] as readonly { name: string; level: number; message: string; values: readonly KeyValue[] }[];
    const status = statuses.find((candidate) => candidate.name === `governor: ${name}`);
    if (status === undefined) return [];
    const hint = status.values.find(({ key }) => key === 'hint')?.value ?? '';
    return [{ level: status.level, message: status.message, hint }];
  });
}

interface KeyValue {
  readonly key: string;
  readonly value: string;
}

const TRANSITIONS = { configure: 1, cleanup: 2, activate: 3, deactivate: 4 } as const;
/** Is refused, and changes nothing. */
const NO_TRANSITION = 255;

/** @returns whether the node made the transition. */
export async function changeState(peer: RosPeer, transition: keyof typeof TRANSITIONS): Promise<unknown> {
  const ask = (id: number) => ['/governor/change_state', 'lifecycle_msgs/srv/ChangeState', { transition: { id } }] as const;
  await peer.callAgain(...ask(NO_TRANSITION)); // a node that has just begun may not know yet whom to answer
  return (await peer.call(...ask(TRANSITIONS[transition])))['success'];
}

export async function stateOf(peer: RosPeer, node = '/governor'): Promise<string> {
  const state = await peer.callAgain(`${node}/get_state`, 'lifecycle_msgs/srv/GetState');
  return (state['current_state'] as { label: string }).label;
}
