/** Rules between parameters, which no single value breaks. */
import { CORUN_PAIR } from './backend-schema.js';
import { checkApproval, checkContract, checkSequence, checkState } from './contract-checks.js';
import { noSuch } from './no-such.js';
import { expandName, type NodeName } from './node-name.js';
import type { BackendParameters, LearningParameters, ModelParameters, OverloadParameters, StreamParameters } from './schema.js';

/** Everything that was declared; undefined is declared, but wrong in itself. */
export interface Declared {
  readonly backends: ReadonlyMap<string, BackendParameters | undefined>;
  readonly models: ReadonlyMap<string, ModelParameters | undefined>;
  readonly streams: ReadonlyMap<string, StreamParameters | undefined>;
  readonly learning: LearningParameters | undefined;
  readonly overload: OverloadParameters | undefined;
}

export interface Finding {
  readonly path: readonly string[];
  /** What is wrong and what would be right. */
  readonly text: string;
}

export function crossCheck(declared: Declared, node: NodeName): Finding[] {
  return [
    ...checkOverload(declared),
    ...checkLearning(declared),
    ...checkBackends(declared),
    ...checkModels(declared),
    ...checkStreams(declared, node),
  ];
}

function* checkLearning({ learning }: Declared): Generator<Finding> {
  if (learning === undefined || learning.ceiling_percent >= learning.margin_percent) return;
  const path = ['learning', 'ceiling_percent'];
  yield { path, text: `is below margin_percent, which is ${learning.margin_percent}; expected at least that` };
}

function* checkOverload({ overload }: Declared): Generator<Finding> {
  if (overload === undefined) return;
  const { enter_permille: enter, leave_permille: leave } = overload;
  const at = (key: string) => ['overload', key];
  for (const [i, own] of enter.entries()) {
    const [below = -1, out = -1] = [enter[i - 1], leave[i]];
    if (own <= below)
      yield { path: at('enter_permille'), text: `level ${i + 1} has ${own} after ${below}; expected each higher than the one before` };
    if (out >= own)
      yield { path: at('leave_permille'), text: `level ${i + 1} has ${out} and is entered at ${own}; expected less than that` };
  }
}

function* checkBackends({ backends, models }: Declared): Generator<Finding> {
  for (const [name, backend] of backends) {
    for (const pair of backend?.no_corun ?? []) {
      const path = ['backends', name, 'no_corun'];
      const [, first = '', second = ''] = CORUN_PAIR.exec(pair) ?? [];
      if (first === second)
        yield { path, text: `"${pair}" names one model twice; to run a model once at a time give its backend slots: 1` };
      for (const model of new Set([first, second])) {
        if (!models.has(model)) yield { path, text: `"${pair}": ${noSuch('model', model, models)}` };
        const other = models.get(model)?.backend;
        if (other !== undefined && other !== name) {
          yield { path, text: `"${pair}": model ${model} is on backend ${other}; only models of ${name} can be kept apart here` };
        }
      }
    }
    if (backend?.tls !== undefined) yield* checkTls(['backends', name, 'tls'], backend.tls);
  }
}

function* checkTls(path: readonly string[], tls: NonNullable<BackendParameters['tls']>): Generator<Finding> {
  const { certificate_file: certificate, key_file: key } = tls;
  if (certificate !== undefined && key === undefined)
    yield { path: [...path, 'certificate_file'], text: 'goes with key_file; give both or none' };
  if (certificate === undefined && key !== undefined)
    yield { path: [...path, 'key_file'], text: 'goes with certificate_file; give both or none' };
}

function* checkModels({ backends, models }: Declared): Generator<Finding> {
  for (const [name, model] of models) {
    if (model === undefined) continue;
    const path = ['models', name];
    if (!backends.has(model.backend)) yield { path: [...path, 'backend'], text: noSuch('backend', model.backend, backends) };
    yield* checkVariants(path, model.variants);
    yield* checkInput(path, model.input);
    yield* checkOutput(path, model.output);
  }
}

function* checkVariants(model: readonly string[], variants: ModelParameters['variants']): Generator<Finding> {
  const owners = new Map<string, string>();
  for (const [name, { backend_model: backendModel, profile }] of Object.entries(variants)) {
    const path = [...model, 'variants', name];
    const owner = owners.get(backendModel);
    if (owner !== undefined)
      yield {
        path: [...path, 'backend_model'],
        text: `variant ${owner} has it already; each variant needs a model of its own at the server`,
      };
    owners.set(backendModel, owner ?? name);
    if (profile !== undefined && !(profile.p50_us <= profile.p95_us && profile.p95_us <= profile.p99_us)) {
      const given = `${profile.p50_us}, ${profile.p95_us}, ${profile.p99_us}`;
      yield { path: [...path, 'profile'], text: `p50_us, p95_us, p99_us are ${given}; expected each at least as long as the one before` };
    }
  }
}

function* checkInput(model: readonly string[], input: ModelParameters['input']): Generator<Finding> {
  const at = (key: string) => [...model, 'input', key];
  if (input.width === undefined && input.height !== undefined) yield { path: at('height'), text: 'goes with width; give both or none' };
  if (input.width !== undefined && input.height === undefined) yield { path: at('width'), text: 'goes with height; give both or none' };
  const channels = input.color_order === 'gray' ? 1 : 3;
  for (const key of ['mean', 'std'] as const) {
    const count = input[key].length;
    if (count !== 0 && count !== channels) {
      yield {
        path: at(key),
        text: `${count} numbers, but color_order ${input.color_order} has ${channels}; expected one a channel, or an empty list`,
      };
    }
    if (count !== 0 && input.datatype !== 'FP32')
      yield { path: at(key), text: `has no effect on datatype ${input.datatype}; expected datatype FP32` };
  }
  if (input.scale !== 1 && input.datatype !== 'FP32')
    yield { path: at('scale'), text: `has no effect on datatype ${input.datatype}; expected datatype FP32` };
}

function* checkOutput(model: readonly string[], output: ModelParameters['output']): Generator<Finding> {
  if (output.decoder !== 'none') return;
  for (const key of ['tensors', 'labels'] as const) {
    if (output[key].length > 0) yield { path: [...model, 'output', key], text: 'has no effect without a decoder; set output.decoder' };
  }
}

function* checkStreams(declared: Declared, node: NodeName): Generator<Finding> {
  const { streams, models } = declared;
  if (streams.size === 0) yield { path: ['streams'], text: 'there are none; add streams.<name> with topic, model and contract.max_age_ms' };
  const owners = new Map<string, string>();
  for (const [name, stream] of streams) {
    if (stream === undefined) continue;
    const path = ['streams', name];
    const topic = expandName(stream.topic, node);
    const owner = owners.get(topic);
    if (owner !== undefined)
      yield { path: [...path, 'topic'], text: `stream ${owner} has topic ${topic} already; a topic belongs to one stream` };
    owners.set(topic, owner ?? name);
    yield* checkQueue(path, stream);
    yield* checkModelOf(path, stream, models);
    yield* checkContract(path, name, stream);
    yield* checkSequence(path, name, stream, declared);
    const model = models.get(stream.model);
    if (model !== undefined) {
      yield* checkApproval(path, stream, model);
      yield* checkState(path, stream, model);
    }
    if (stream.type === 'std_msgs/msg/Float32MultiArray' && stream.stamp_source === 'header') {
      yield { path: [...path, 'stamp_source'], text: `must be receive: ${stream.type} has no header to take a stamp from` };
    }
  }
}

function* checkQueue(stream: readonly string[], { queue, class: streamClass }: StreamParameters): Generator<Finding> {
  const at = (key: string) => [...stream, 'queue', key];
  if (queue.policy === 'latest' && queue.capacity !== 1)
    yield { path: at('capacity'), text: 'must be 1 for policy latest, which keeps the newest; for more use fifo or never_drop' };
  if (queue.overflow !== 'reject_oldest') return;
  if (queue.policy !== 'fifo')
    yield { path: at('overflow'), text: `is for policy fifo only, and this is ${queue.policy}; expected reject_new` };
  if (streamClass === 'high' || streamClass === 'protected') {
    yield {
      path: at('overflow'),
      text: `drops accepted work, which class ${streamClass} must not; expected reject_new, or class best_effort or normal`,
    };
  }
}

function* checkModelOf(path: readonly string[], stream: StreamParameters, models: Declared['models']): Generator<Finding> {
  if (!models.has(stream.model)) yield { path: [...path, 'model'], text: noSuch('model', stream.model, models) };
  const decoder = models.get(stream.model)?.output.decoder;
  if (decoder === undefined) return;
  if (decoder !== 'none' && stream.type !== 'sensor_msgs/msg/Image') {
    yield { path: [...path, 'model'], text: `has decoder ${decoder}, which needs images, and this stream is ${stream.type}` };
  }
  if (decoder === 'none' && stream.publish_obsolete) {
    yield {
      path: [...path, 'publish_obsolete'],
      text: `has no effect: model ${stream.model} has no decoder, so there is no decoded topic`,
    };
  }
}
