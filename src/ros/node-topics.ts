/** The topics of the node: what they are called, and how much they keep for slow subscribers. All are reliable. */
import type { TopicDescription } from './serialised-topic.js';

export const NODE_TOPICS = {
  outcomes: { name: '~/outcomes', type: 'vigilant_governor/msg/Outcome', depth: 100 },
  status: { name: '~/status', type: 'vigilant_governor/msg/GovernorStatus', depth: 10 },
  diagnostics: { name: '/diagnostics', type: 'diagnostic_msgs/msg/DiagnosticArray', depth: 10 },
} as const satisfies Readonly<Record<string, TopicDescription>>;

const RESULTS_DEPTH = 10;

export function resultTopic(stream: string): TopicDescription {
  return { name: `~/${stream}/result`, type: 'vigilant_governor/msg/InferenceResult', depth: RESULTS_DEPTH };
}

/** Where the model has a decoder and vision_msgs is installed. */
export function detectionsTopic(stream: string): TopicDescription {
  return { name: `~/${stream}/detections`, type: 'vision_msgs/msg/Detection2DArray', depth: RESULTS_DEPTH };
}
