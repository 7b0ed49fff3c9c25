import type { OutputParameters } from '../config/schema.js';
import type { Detection, OutputTensor } from '../governor/ports.js';
import type { ResizeGeometry } from './resize-geometry.js';

/** Turns the outputs of one kind of detector into boxes. */
export interface Decoder {
  /** The outputs it reads, by name. */
  outputNames(parameters: OutputParameters): readonly string[];
  /**
   * @param geometry how the image became the network's input.
   * @returns boxes in source pixels, inside the image, best first.
   * @throws {BadOutput} when an output is missing, has another shape, or holds NaN or Infinity where it counts.
   */
  decode(outputs: readonly OutputTensor[], geometry: ResizeGeometry, parameters: OutputParameters): readonly Detection[];
}
