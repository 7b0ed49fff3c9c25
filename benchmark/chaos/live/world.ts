/** The governor's parameters, and the models of both servers. */
import type { Parameters } from '../../../src/config/schema.js';
import type { PythonModel } from '../../../test/support/triton-server.js';
import { MODELS, parameters as soakParameters } from '../../soak/world.js';

export const MODEL_NAMES = ['seen', 'felt'] as const;
export type ModelName = (typeof MODEL_NAMES)[number];

export const SLOTS = 2;
/** Calls that take longer have no answer in time. */
const TIMEOUT_MS = 150;
const DRAIN_MS = 3000;
/** Of each model: more than the governor is told of, so that a call too many would run, and be seen. */
const INSTANCES = 3;
const RUNTIME_MS = { seen: 12, felt: 8 };

export const REFERENCE_MODELS = MODELS.replaceAll('behaviour: constant', `behaviour: constant\n    instances: ${INSTANCES}`);

/** The streams of the soak. @param depth credits beyond the slots */
export function parameters(type: 'reference' | 'triton', endpoint: string, depth: number): Parameters {
  const base = soakParameters(endpoint);
  const server = base.backends['server'] as Parameters['backends'][string];
  const backend = { ...server, type, slots: SLOTS, pipelining_depth: depth, timeout_ms: TIMEOUT_MS };
  const models = Object.fromEntries(Object.entries(base.models).map(([name, model]) => [name, { ...model, instances: SLOTS }]));
  return { ...base, drain_timeout_ms: DRAIN_MS, backends: { server: backend }, models };
}

/**
 * The same models for Triton. They write down when they begin and end.
 *
 * @param log where to; a file beside it, named after the model, makes the next execution take as many milliseconds more as it says
 */
export function tritonModels(log: string): PythonModel[] {
  return [
    stampedModel(
      log,
      'seen',
      '{ name: "image" data_type: TYPE_UINT8 dims: [1, -1, -1, 3] }',
      '{ name: "boxes" data_type: TYPE_FP32 dims: [64] }',
    ),
    stampedModel(
      log,
      'felt',
      '{ name: "values" data_type: TYPE_FP32 dims: [1, -1] }',
      '{ name: "verdict" data_type: TYPE_FP32 dims: [1] }',
    ),
  ];
}

export function hangFile(log: string, model: ModelName): string {
  return `${log}-${model}`;
}

function stampedModel(log: string, name: ModelName, input: string, output: string): PythonModel {
  const [, out = '', dims = ''] = /name: "(\w+)".*dims: \[(\d+)\]/.exec(output) ?? [];
  return {
    name,
    config: `input [${input}]
output [${output}]
instance_group [{ kind: KIND_CPU count: ${INSTANCES} }]
`,
    python: `import json
import os
import time
import numpy as np
import triton_python_backend_utils as pb


def stamp(file, event, id):
    line = {'monotonic_us': time.monotonic_ns() // 1000, 'event': event, 'model': '${name}', 'id': id, 'pid': os.getpid()}
    os.write(file, (json.dumps(line) + '\\n').encode())


def hang():
    taken = '${hangFile(log, name)}-' + str(os.getpid())
    try:
        os.rename('${hangFile(log, name)}', taken)
    except FileNotFoundError:
        return 0
    with open(taken) as file:
        return int(file.read()) / 1000


class TritonPythonModel:
    def initialize(self, args):
        self.file = os.open('${log}', os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def execute(self, requests):
        responses = []
        for request in requests:
            stamp(self.file, 'begin', request.request_id())
            time.sleep(${RUNTIME_MS[name] / 1000} + hang())
            stamp(self.file, 'end', request.request_id())
            responses.append(pb.InferenceResponse([pb.Tensor('${out}', np.zeros(${dims}, dtype=np.float32))]))
        return responses
`,
  };
}
