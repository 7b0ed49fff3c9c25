/** Boxes of detectors, whatever the network: from network pixels to the published detections. */
import type { OutputParameters } from '../config/schema.js';
import type { Detection } from '../governor/ports.js';
import { type ResizeGeometry, sourceX, sourceY } from './resize-geometry.js';

/** Corners in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly score: number;
  readonly classId: number;
}

/** From network to source pixels, clipped to the source; undefined when nothing of it is left (a box in a letterbox bar). */
export function toSource(box: Box, geometry: ResizeGeometry): Box | undefined {
  const { width, height } = geometry.source;
  const left = Math.max(sourceX(geometry, box.left), 0);
  const top = Math.max(sourceY(geometry, box.top), 0);
  const right = Math.min(sourceX(geometry, box.right), width);
  const bottom = Math.min(sourceY(geometry, box.bottom), height);
  return left < right && top < bottom ? { ...box, left, top, right, bottom } : undefined;
}

/** Boxes are compared with each other: a model that finds something everywhere must not hold up the node. */
export const MAX_CANDIDATES = 10_000;

/** Greedy non-maximum suppression by class: the best box stays, boxes that overlap it by more than the threshold go. */
export function bestBoxes(boxes: readonly Box[], parameters: OutputParameters): readonly Box[] {
  const kept: Box[] = [];
  for (const box of boxes.toSorted((one, other) => other.score - one.score).slice(0, MAX_CANDIDATES)) {
    if (kept.length >= parameters.max_detections) break;
    const covered = kept.some((better) => better.classId === box.classId && overlap(better, box) > parameters.iou_threshold);
    if (!covered) kept.push(box);
  }
  return kept;
}

export function detectionOf(box: Box, labels: readonly string[]): Detection {
  return {
    classId: box.classId,
    label: labels[box.classId] ?? String(box.classId),
    score: box.score,
    centerX: (box.left + box.right) / 2,
    centerY: (box.top + box.bottom) / 2,
    sizeX: box.right - box.left,
    sizeY: box.bottom - box.top,
  };
}

/** Intersection over union. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (areaOf(one) + areaOf(other) - shared);
}

function areaOf(box: Box): number {
  return (box.right - box.left) * (box.bottom - box.top);
}
