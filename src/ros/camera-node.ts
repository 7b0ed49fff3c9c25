/** Cameras that are not there: images at a steady rate, each stamped when it is taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import { installPrefixes } from './interface-definitions.js';
import { type HeaderMessage, timeMessage } from './message-fields.js';
import { openPlainNode, type PlainNode } from './plain-node.js';
import { SerialisedTopic } from './serialised-topic.js';

export interface Camera {
  readonly topic: string;
  readonly frameId: string;
  readonly width: number;
  readonly height: number;
  readonly periodMs: number;
  /** When the first image is taken, so that cameras do not click at once. */
  readonly phaseMs: number;
  /** What it sees, rgb8 without padding. */
  view(timeMs: number): Uint8Array;
}

/** sensor_msgs/msg/Image */
interface ImageMessage {
  readonly header: HeaderMessage;
  readonly height: number;
  readonly width: number;
  readonly encoding: string;
  readonly is_bigendian: number;
  readonly step: number;
  readonly data: Uint8Array;
}

const IMAGE_DEPTH = 2;
const RGB_BYTES = 3;

/** How often it is looked whether somebody listens. */
const LOOK_INTERVAL_MS = 20;

/**
 * Publishes from when somebody listens to every camera until told to end.
 * @param filming called when the first images are taken
 * @throws {RosUnavailableError}
 */
export async function runCameras(namespace: string, cameras: readonly Camera[], filming: () => void, end: Promise<void>): Promise<void> {
  const plain = await openPlainNode('cameras', namespace);
  let ended = false;
  const stopped = end.then(() => {
    ended = true;
  });
  const stops: (() => void)[] = [];
  try {
    const takers = cameras.map((camera) => ({ camera, topic: imageTopic(plain, camera) }));
    while (!ended && !takers.every(({ topic }) => topic.wanted)) await sleep(LOOK_INTERVAL_MS);
    for (const { camera, topic } of takers) stops.push(startCamera(plain, camera, topic));
    filming();
    await stopped;
  } finally {
    for (const stop of stops) stop();
    plain.close();
  }
}

function imageTopic({ rcl, node }: PlainNode, { topic: name }: Camera): SerialisedTopic<ImageMessage> {
  return new SerialisedTopic<ImageMessage>(rcl, node, { type: 'sensor_msgs/msg/Image', name, depth: IMAGE_DEPTH }, installPrefixes());
}

/** @returns a function that stops it. */
function startCamera({ node }: PlainNode, camera: Camera, topic: SerialisedTopic<ImageMessage>): () => void {
  const startMs = performance.now() + camera.phaseMs;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    // By the plan, not by the last image: the rate stays right however late a timer fires, and what is missed is not caught up.
    const next = Math.max(0, Math.floor((performance.now() - startMs) / camera.periodMs) + 1);
    timer = setTimeout(take, startMs + next * camera.periodMs - performance.now());
  };
  const take = (): void => {
    const data = camera.view(performance.now() - startMs);
    const { width, height, frameId } = camera;
    const header = { stamp: timeMessage(node.getClock().now().nanoseconds), frame_id: frameId };
    topic.publish({ header, height, width, encoding: 'rgb8', is_bigendian: 0, step: width * RGB_BYTES, data });
    arm();
  };
  arm();
  return () => clearTimeout(timer);
}
