/** vision_msgs/msg/Detection2DArray: decoded boxes for consumers that know nothing of this node. */
import type { Detection, ResultRecord } from '../governor/ports.js';
import { finite, type HeaderMessage, headerMessage } from './message-fields.js';

interface Detection2DMessage {
  readonly header: HeaderMessage;
  readonly results: readonly { readonly hypothesis: { readonly class_id: string; readonly score: number } }[];
  readonly bbox: {
    readonly center: { readonly position: { readonly x: number; readonly y: number }; readonly theta: number };
    readonly size_x: number;
    readonly size_y: number;
  };
  readonly id: string;
}

export interface DetectionsMessage {
  readonly header: HeaderMessage;
  readonly detections: readonly Detection2DMessage[];
}

/** The pose of a hypothesis is left at its default: a box in an image has none. */
export function detectionsMessage(record: ResultRecord): DetectionsMessage {
  const header = headerMessage(record.header);
  return { header, detections: record.detections.map((detection) => detection2D(header, detection)) };
}

function detection2D(header: HeaderMessage, detection: Detection): Detection2DMessage {
  const classId = detection.label === '' ? String(detection.classId) : detection.label;
  return {
    header,
    results: [{ hypothesis: { class_id: classId, score: finite(detection.score) } }],
    bbox: {
      center: { position: { x: finite(detection.centerX), y: finite(detection.centerY) }, theta: 0 },
      size_x: finite(detection.sizeX),
      size_y: finite(detection.sizeY),
    },
    id: '',
  };
}
