/** What a server answers, from the bytes on the wire to the published result: the declared error or a result, and nothing else. */

import { rmSync } from 'node:fs';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestId } from '../../src/core/units.js';
import { BadOutput } from '../../src/governor/bad-output.js';
import { ELEMENT_BYTES, elementCount } from '../../src/governor/datatype.js';
import { DATATYPES, type Datatype, type Detection, type OutputTensor } from '../../src/governor/ports.js';
import { readDefinitions } from '../../src/ros/interface-definitions.js';
import { RosMessageWriter } from '../../src/ros/message-writer.js';
import { resultMessage } from '../../src/ros/result-message.js';
import { readNumbers } from '../../src/tensor/read-output.js';
import type { InferTensorContents } from '../../src/triton/generated/inference/InferTensorContents.js';
import type { ModelInferResponse, ModelInferResponse__Output } from '../../src/triton/generated/inference/ModelInferResponse.js';
import { readOutputs } from '../../src/triton/output-tensors.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { installInterfaces } from '../ros/interfaces.js';
import { codecOf, HEADER } from '../tensor/fixtures.js';
import { fuzz, fuzzTimeoutMs } from './fuzz.js';
import type { Random } from './random.js';

const { responseSerialize, responseDeserialize } = loadProtocol().service.ModelInfer;

/** Of the text that goes into an outcome. */
const LONGEST_DETAIL = 2000;
const SIDE = 16;
const CELLS = SIDE / 4;
const MAX_DETECTIONS = 10;
const FACES = codecOf({
  input: { layout: 'nchw', datatype: 'FP32' },
  output: { decoder: 'centerface', max_detections: MAX_DETECTIONS },
}).frame(HEADER, { width: SIDE, height: SIDE, step: SIDE, encoding: 'mono8', data: new Uint8Array(SIDE * SIDE) });

let prefix: string;
beforeAll(() => {
  prefix = installInterfaces();
});
afterAll(() => rmSync(prefix, { recursive: true }));

/** Undefined where it ended in the declared error. Anything else is thrown. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    expect(error.message.length).toBeLessThan(LONGEST_DETAIL);
    return undefined;
  }
}

test('any answer becomes outputs that can be relied on, or bad_output', { timeout: fuzzTimeoutMs() }, () => {
  const definitions = readDefinitions('vigilant_governor/msg/InferenceResult', [prefix]);
  const [writer, reader] = [new RosMessageWriter(definitions), new MessageReader<ReturnType<typeof resultMessage>>(definitions)];
  const reached = { message: 0, outputs: 0, faces: 0 };
  fuzz({ cases: 40_000 }, arrived, (response) => {
    if (response === undefined) return;
    reached.message += 1;
    const outputs = attempt(() => readOutputs(response));
    if (outputs === undefined) return;
    reached.outputs += 1;
    for (const output of outputs) reliable(output);
    const faces = attempt(() => FACES.decode('only', outputs));
    if (faces !== undefined) reached.faces += 1;
    const detections = faces ?? [];
    for (const detection of detections) inside(detection);
    expect(detections.length).toBeLessThanOrEqual(MAX_DETECTIONS);
    const message = resultMessage({ ...RECORD, modelVersion: response.model_version, outputs, detections });
    const read = reader.readMessage(writer.write(message));
    expect(read.outputs.map(({ data }) => data.length)).toEqual(outputs.map(({ data }) => data.length));
    expect(read.detections).toHaveLength(detections.length);
  });
  // A fuzzer that gets nowhere finds nothing.
  if (process.env['VIG_FUZZ_CASE'] === undefined) for (const count of Object.values(reached)) expect(count).toBeGreaterThan(100);
});

const RECORD = {
  header: HEADER,
  stream: 'front',
  request: requestId(1),
  model: 'faces',
  variant: 'only',
  obsolete: false,
  deadlineMissed: false,
  ageUs: 1,
  waitingUs: 1,
  serviceUs: 1,
};

function reliable(output: OutputTensor): void {
  const count = elementCount(output.shape);
  expect(count).toBeDefined();
  if (output.datatype === 'BYTES') expect(attempt(() => readNumbers(output))).toBeUndefined();
  else {
    expect(output.data.length).toBe((count ?? 0) * ELEMENT_BYTES[output.datatype]);
    expect(readNumbers(output)).toHaveLength(count ?? 0);
  }
}

function inside({ centerX, centerY, sizeX, sizeY, score }: Detection): void {
  expect([score, centerX, centerY, sizeX, sizeY].every(Number.isFinite)).toBe(true);
  expect(centerX - sizeX / 2 >= -1e-6 && centerX + sizeX / 2 <= SIDE + 1e-6).toBe(true);
  expect(centerY - sizeY / 2 >= -1e-6 && centerY + sizeY / 2 <= SIDE + 1e-6).toBe(true);
}

/** As gRPC hands it over; undefined for bytes that are no message, which end the call before we see them. */
function arrived(random: Random): ModelInferResponse__Output | undefined {
  const bytes = responseSerialize(random.chance(0.5) ? faces(random) : anyResponse(random));
  try {
    return responseDeserialize(Buffer.from(random.chance(0.6) ? random.mutate(bytes) : bytes));
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

/** What CenterFace would say of the frame, with numbers of any size. */
function faces(random: Random): ModelInferResponse {
  const likely = random.chance(0.5);
  const number = (): number => (likely ? random.below(100) / 100 : random.float());
  const maps = [
    ['537', 1],
    ['538', 2],
    ['539', 2],
  ] as const;
  return {
    model_version: '1',
    outputs: maps.map(([name, channels]) => ({ name, datatype: 'FP32', shape: [1, channels, CELLS, CELLS] })),
    raw_output_contents: maps.map(([, channels]) => {
      const values = Float32Array.from({ length: channels * CELLS * CELLS }, number);
      return Buffer.from(values.buffer);
    }),
  };
}

function anyResponse(random: Random): ModelInferResponse {
  const raw = random.chance(0.6);
  const contents: Buffer[] = [];
  const outputs = random.list(4, (index) => {
    const datatype = random.chance(0.9) ? random.pick(DATATYPES) : random.text();
    const shape = random.list(random.chance(0.9) ? 4 : 40, () => random.count());
    const count = Math.min(
      shape.reduce((product, size) => product * size, 1),
      64,
    );
    if (raw) contents.push(Buffer.from(bytesOf(random, datatype, count)));
    const name = random.chance(0.8) ? `y${index}` : random.text();
    return { name, datatype, shape, ...(raw || random.chance(0.1) ? {} : { contents: contentsOf(random, datatype, count) }) };
  });
  return { model_version: random.text(), outputs, raw_output_contents: contents };
}

function bytesOf(random: Random, datatype: string, count: number): Uint8Array {
  if (random.chance(0.1)) return random.bytes(random.below(64));
  if (datatype !== 'BYTES') return random.bytes(count * (ELEMENT_BYTES[datatype as Exclude<Datatype, 'BYTES'>] ?? 1));
  const texts = Array.from({ length: count }, () => random.bytes(random.below(5)));
  return Buffer.concat(
    texts.flatMap((text) => [Buffer.from(Uint32Array.of(random.chance(0.98) ? text.length : random.count()).buffer), text]),
  );
}

function contentsOf(random: Random, datatype: string, count: number): InferTensorContents {
  const length = random.chance(0.9) ? count : random.below(64);
  const many = <T>(draw: () => T): T[] => Array.from({ length }, draw);
  const whole = (): number => random.below(random.pick([2, 256, 2 ** 31]));
  switch (datatype) {
    case 'BOOL':
      return { bool_contents: many(() => random.chance(0.5)) };
    case 'INT8':
    case 'INT16':
    case 'INT32':
      return { int_contents: many(() => whole() * random.pick([1, -1])) };
    case 'INT64':
      return { int64_contents: many(whole) };
    case 'UINT64':
      return { uint64_contents: many(whole) };
    case 'FP32':
      return { fp32_contents: many(() => random.float()) };
    case 'FP64':
      return { fp64_contents: many(() => random.float()) };
    case 'BYTES':
      return { bytes_contents: many(() => Buffer.from(random.bytes(random.below(5)))) };
    default:
      return { uint_contents: many(whole) };
  }
}
