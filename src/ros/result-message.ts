/** vigilant_governor/msg/InferenceResult: the answer of a model to one message. */
import type { Detection, OutputTensor, ResultRecord } from '../governor/ports.js';
import { finite, type HeaderMessage, headerMessage, known } from './message-fields.js';

interface TensorMessage {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly bigint[];
  readonly data: Uint8Array;
}

interface DetectionMessage {
  readonly class_id: number;
  readonly label: string;
  readonly score: number;
  readonly center_x: number;
  readonly center_y: number;
  readonly size_x: number;
  readonly size_y: number;
}

export interface ResultMessage {
  readonly header: HeaderMessage;
  readonly stream: string;
  readonly request_id: bigint;
  readonly model: string;
  readonly variant: string;
  readonly model_version: string;
  readonly obsolete: boolean;
  readonly deadline_missed: boolean;
  readonly age_us: bigint;
  readonly waiting_us: bigint;
  readonly service_us: bigint;
  readonly outputs: readonly TensorMessage[];
  readonly detections: readonly DetectionMessage[];
}

export function resultMessage(record: ResultRecord): ResultMessage {
  return {
    header: headerMessage(record.header),
    stream: record.stream,
    request_id: BigInt(record.request),
    model: record.model,
    variant: record.variant,
    model_version: record.modelVersion,
    obsolete: record.obsolete,
    deadline_missed: record.deadlineMissed,
    age_us: known(record.ageUs),
    waiting_us: known(record.waitingUs),
    service_us: known(record.serviceUs),
    outputs: record.outputs.map(tensorMessage),
    detections: record.detections.map(detectionMessage),
  };
}

function tensorMessage(tensor: OutputTensor): TensorMessage {
  return { name: tensor.name, datatype: tensor.datatype, shape: tensor.shape.map(BigInt), data: tensor.data };
}

function detectionMessage(detection: Detection): DetectionMessage {
  return {
    class_id: detection.classId,
    label: detection.label,
    score: finite(detection.score),
    center_x: finite(detection.centerX),
    center_y: finite(detection.centerY),
    size_x: finite(detection.sizeX),
    size_y: finite(detection.sizeY),
  };
}
