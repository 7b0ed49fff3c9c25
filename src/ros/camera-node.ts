/** Cameras that are not there: images at a steady rate, each stamped when it is taken. */
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

/**
 * Publishes until told to end.
 * @param ready called once the topics are there
 * @throws {RosUnavailableError}
 */
export async function runCameras(namespace: string, cameras: readonly Camera[], ready: () => void, end: Promise<void>): Promise<void> {
  const plain = await openPlainNode('cameras', namespace);
  const stops = cameras.map((camera) => startCamera(plain, camera));
  try {
    ready();
    await end;
  } finally {
    for (const stop of stops) stop();
    plain.close();
  }
}

/** @returns a function that stops it. */
function startCamera({ rcl, node }: PlainNode, camera: Camera): () => void {
  const description = { type: 'sensor_msgs/msg/Image', name: camera.topic, depth: IMAGE_DEPTH };
  const topic = new SerialisedTopic<ImageMessage>(rcl, node, description, installPrefixes());
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
