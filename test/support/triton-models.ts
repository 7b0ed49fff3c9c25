/** Models of the Python backend that tests and benchmarks put into a Triton. */
import type { PythonModel } from './triton-server.js';

const tensor = (name: string, datatype: string, dims: string) => `{ name: "${name}" data_type: TYPE_${datatype} dims: [${dims}] }`;

/** `execute` for one request at a time; `body` sets `outputs` or raises. */
function script(body: string, imports = ''): string {
  const lines = body
    .trim()
    .split('\n')
    .map((line) => `            ${line}`);
  return `import time
import numpy as np
import triton_python_backend_utils as pb
${imports}

def tensor(request, name):
    return pb.get_input_tensor_by_name(request, name)


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
${lines.join('\n')}
            responses.append(pb.InferenceResponse(output_tensors=outputs))
        return responses
`;
}

/** FP32 in, the same out. `batch` adds a batch dimension. */
export function echoModel(name = 'echo', dims = '-1', batch = 0): PythonModel {
  return {
    name,
    config: `max_batch_size: ${batch}
input [${tensor('IN', 'FP32', dims)}]
output [${tensor('OUT', 'FP32', dims)}]
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: script(`outputs = [pb.Tensor('OUT', tensor(request, 'IN').as_numpy())]`),
  };
}

/** FP32 in, the number of its elements and their sum out: a large input, a small answer. */
export function sumModel(name = 'sum'): PythonModel {
  return {
    name,
    config: `input [${tensor('IN', 'FP32', '-1')}]
output [${tensor('OUT', 'FP32', '2')}]
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: script(`values = tensor(request, 'IN').as_numpy()
outputs = [pb.Tensor('OUT', np.array([values.size, values.sum()], dtype=np.float32))]`),
  };
}

/** Sleeps for DELAY_MS, then gives it back. `extra` is added to the configuration. */
export function slowModel(name = 'slow', extra = 'instance_group [{ kind: KIND_CPU count: 1 }]'): PythonModel {
  return {
    name,
    config: `input [${tensor('DELAY_MS', 'INT32', '1')}]
output [${tensor('OUT', 'INT32', '1')}]
${extra}
`,
    python: script(`delay = tensor(request, 'DELAY_MS').as_numpy()
time.sleep(delay[0] / 1000)
outputs = [pb.Tensor('OUT', delay)]`),
  };
}

export interface BrightnessOptions {
  /** Of its input, [1, height, width, 3]. */
  readonly dims?: string;
  readonly instances?: number;
}

/** UINT8 pictures. Takes `delayMs`, or a minute for a bright one, then says how bright it is. */
export function brightnessModel(
  name: string,
  delayMs: number,
  { dims = '1, -1, -1, 3', instances = 1 }: BrightnessOptions = {},
): PythonModel {
  return {
    name,
    config: `input [${tensor('image', 'UINT8', dims)}]
output [${tensor('mean', 'FP32', '1')}]
instance_group [{ kind: KIND_CPU count: ${instances} }]
`,
    python: script(`mean = tensor(request, 'image').as_numpy().mean()
time.sleep(60 if mean > 0 else ${delayMs / 1000})
outputs = [pb.Tensor('mean', np.array([mean], dtype=np.float32))]`),
  };
}

/** UINT8 pictures. Takes `delayMs`, but every `every`th call `longMs`. */
export function unsteadyModel(name: string, delayMs: number, longMs: number, every: number): PythonModel {
  return {
    name,
    config: `input [${tensor('image', 'UINT8', '1, -1, -1, 3')}]
output [${tensor('calls', 'INT32', '1')}]
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: script(`self.calls = getattr(self, 'calls', 0) + 1
time.sleep(${longMs / 1000} if self.calls % ${every} == 0 else ${delayMs / 1000})
outputs = [pb.Tensor('calls', np.array([self.calls], dtype=np.int32))]`),
  };
}

/** Answers as CenterFace does, for pictures of 32x32: no face in a dark one, in a bright one faces whose sizes are not numbers. */
export function facesOfNoSizeModel(name: string): PythonModel {
  return {
    name,
    config: `input [${tensor('input.1', 'FP32', '1, 3, 32, 32')}]
output [${tensor('537', 'FP32', '1, 1, 8, 8')}, ${tensor('538', 'FP32', '1, 2, 8, 8')}, ${tensor('539', 'FP32', '1, 2, 8, 8')}]
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: script(`bright = tensor(request, 'input.1').as_numpy().mean() > 0
heat = np.full((1, 1, 8, 8), 0.9 if bright else 0.0, dtype=np.float32)
sizes = np.full((1, 2, 8, 8), np.nan if bright else 0.0, dtype=np.float32)
offsets = np.zeros((1, 2, 8, 8), dtype=np.float32)
outputs = [pb.Tensor('537', heat), pb.Tensor('538', sizes), pb.Tensor('539', offsets)]`),
  };
}

/** Every execution raises. */
export function raisingModel(name = 'raising'): PythonModel {
  return {
    name,
    config: `input [${tensor('IN', 'FP32', '-1')}]
output [${tensor('OUT', 'FP32', '-1')}]
`,
    python: script(`raise ValueError('this model never works')`),
  };
}

/** FP32 in, the same out, after `lines`, which know its first `value` and may set an `error`. `extra` is added to the configuration. */
export function scriptedModel(name: string, lines: string, extra = ''): PythonModel {
  return {
    name,
    config: `input [${tensor('IN', 'FP32', '-1')}]
output [${tensor('OUT', 'FP32', '-1')}]
instance_group [{ kind: KIND_CPU count: 1 }]
${extra}
`,
    python: script(
      `values = tensor(request, 'IN').as_numpy()
value = float(values[0])
error = None
${lines}
if error is not None:
    responses.append(pb.InferenceResponse(error=error))
    continue
outputs = [pb.Tensor('OUT', values)]`,
      'import os',
    ),
  };
}

const TYPES = ['BOOL', 'UINT8', 'UINT16', 'UINT32', 'UINT64', 'INT8', 'INT16', 'INT32', 'INT64', 'FP16', 'FP32', 'FP64', 'STRING', 'BF16'];

/** One tensor of each datatype in (`IN_FP16` …), the same out (`OUT_FP16` …). Text is TYPE_STRING here and BYTES in the protocol. */
export function typesModel(name = 'types'): PythonModel {
  return {
    name,
    config: `input [${TYPES.map((type) => tensor(`IN_${type}`, type, '-1')).join(', ')}]
output [${TYPES.map((type) => tensor(`OUT_${type}`, type, '-1')).join(', ')}]
`,
    python: script(`outputs = []
for name in ${JSON.stringify(TYPES)}:
    source = tensor(request, 'IN_' + name)
    if name == 'STRING':
        outputs.append(pb.Tensor('OUT_' + name, source.as_numpy()))
    else:
        outputs.append(pb.Tensor.from_dlpack('OUT_' + name, source.to_dlpack()))`),
  };
}

/** Answers through a response sender, any number of times: a unary call to it is refused. */
export function decoupledModel(name = 'decoupled'): PythonModel {
  return {
    name,
    config: `input [${tensor('IN', 'FP32', '-1')}]
output [${tensor('OUT', 'FP32', '-1')}]
model_transaction_policy { decoupled: true }
`,
    python: `import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            sender.send(flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None
`,
  };
}

/** A network for onnxruntime: `inputs` and `outputs` are protobuf text of the configuration, `run` feeds all of them by name. */
export function onnxModel(name: string, file: string, inputs: string, outputs: string): PythonModel {
  return {
    name,
    config: `input [${inputs}]
output [${outputs}]
instance_group [{ kind: KIND_CPU count: 1 }]
`,
    python: `import onnxruntime
import triton_python_backend_utils as pb


class TritonPythonModel:
    def initialize(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(${JSON.stringify(file)}, options, providers=['CPUExecutionProvider'])
        self.names = [output.name for output in self.session.get_outputs()]

    def execute(self, requests):
        responses = []
        for request in requests:
            feed = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
            values = self.session.run(self.names, feed)
            responses.append(pb.InferenceResponse([pb.Tensor(n, v) for n, v in zip(self.names, values)]))
        return responses
`,
  };
}
