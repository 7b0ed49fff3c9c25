/** Models of the benchmark's Triton. */
import { echoModel, slowModel, sumModel } from '../test/support/triton-models.js';
import type { PythonModel } from '../test/support/triton-server.js';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** UINT8 NHWC in, sixteen of its bytes out: costs next to nothing beyond taking the tensor. */
export function samplingModel(size: ImageSize): PythonModel {
  return imageModel(
    `sample_${size.height}`,
    size,
    'output [{ name: "SAMPLE" data_type: TYPE_UINT8 dims: [16] }]',
    `pixels = pb.get_input_tensor_by_name(request, 'IMAGE').as_numpy().reshape(-1)
            outputs = [pb.Tensor('SAMPLE', pixels[::pixels.size // 16][:16].copy())]`,
  );
}

/** Takes its time as a device of its own would, without the processor; says when it started and ended, by CLOCK_MONOTONIC. */
export function timedModel(size: ImageSize, runtimeMs: number): PythonModel {
  return imageModel(
    'timed',
    size,
    'output [{ name: "STARTED_NS" data_type: TYPE_INT64 dims: [1] }, { name: "ENDED_NS" data_type: TYPE_INT64 dims: [1] }]',
    `started = time.monotonic_ns()
            time.sleep(${runtimeMs / 1000})
            times = {'STARTED_NS': started, 'ENDED_NS': time.monotonic_ns()}
            outputs = [pb.Tensor(name, np.array([value], np.int64)) for name, value in times.items()]`,
  );
}

function imageModel(name: string, { width, height }: ImageSize, outputs: string, body: string): PythonModel {
  return {
    name,
    config: `input [{ name: "IMAGE" data_type: TYPE_UINT8 dims: [1, ${height}, ${width}, 3] }]
${outputs}
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: `import time
import numpy as np
import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            ${body}
            responses.append(pb.InferenceResponse(outputs))
        return responses
`,
  };
}

export const VGA: ImageSize = { width: 640, height: 480 };
export const FULL_HD: ImageSize = { width: 1920, height: 1080 };
export const TIMED_MS = 25;

export const MODELS: readonly PythonModel[] = [
  samplingModel(VGA),
  samplingModel(FULL_HD),
  timedModel(VGA, TIMED_MS),
  echoModel(),
  sumModel(),
  slowModel(),
];
