/** How long the demo's models take on this machine, alone, and the input sizes that follow. */
import { pino } from 'pino';
import { parametersSchema } from '../config/schema.js';
import { requestId } from '../core/units.js';
import { SteadyClock } from '../governor/clock.js';
import type { TensorSource } from '../governor/ports.js';
import { type InferenceServer, NO_EVIDENCE_NEEDED } from '../service/inference-server.js';
import { connectTriton } from '../triton/connect.js';
import { DemoError } from './demo-error.js';
import { type DemoSettings, demoParameters, FRONT, REAR, type Size, type SizedModel } from './demo-parameters.js';
import type { DemoServer } from './demo-server.js';
import { profileOf, sizedModel } from './sizing.js';

/** Wanted runtimes. A front camera at 30 Hz needs three fifths of the processor, and what the rear one asks for is more than the rest. */
const FRONT_MS = 20;
const REAR_MS = 30;

const FIRST_SIZE: Size = { width: 320, height: 256 };
const CALLS = 15;
const WARM_UP_CALLS = 3;
const READY_TIMEOUT_MS = 20_000;

interface Subject {
  readonly model: string;
  readonly input: string;
  readonly wantedMs: number;
}

const SUBJECTS = {
  front: { model: FRONT.model, input: 'input.1', wantedMs: FRONT_MS },
  rear: { model: REAR.model, input: 'x', wantedMs: REAR_MS },
} as const satisfies Record<string, Subject>;

/** @throws {DemoError} `not_ready`. */
export async function calibrate(server: DemoServer, abort: AbortSignal): Promise<Pick<DemoSettings, 'front' | 'rear'>> {
  const ready = new Set<string>();
  const connection = connect(server, (model, isReady) => (isReady ? ready.add(model) : ready.delete(model)));
  try {
    connection.start();
    await untilReady(() => ready.size === Object.keys(SUBJECTS).length, server, abort);
    const front = await sized(connection, server, SUBJECTS.front, abort);
    return { front, rear: await sized(connection, server, SUBJECTS.rear, abort) };
  } finally {
    await connection.close();
  }
}

function connect(server: DemoServer, readiness: (model: string, ready: boolean) => void): InferenceServer {
  const anySize = { input: FIRST_SIZE, profile: profileOf([1]) };
  const settings = { endpoint: server.endpoint, backend: server.backend, slots: server.slots, front: anySize, rear: anySize };
  const { device: parameters } = parametersSchema.parse(demoParameters(settings, true)).backends;
  if (parameters === undefined) throw new RangeError('the demo has one backend, "device"');
  const models = Object.values(SUBJECTS).map(({ model }) => ({ backendModel: model, version: '' }));
  const clock = new SteadyClock();
  return connectTriton({
    name: 'calibration',
    parameters,
    models,
    listener: { ...NO_EVIDENCE_NEEDED, readiness },
    now: () => clock.now(),
    log: pino({ level: 'silent' }),
  });
}

async function untilReady(isReady: () => boolean, server: DemoServer, abort: AbortSignal): Promise<void> {
  const end = performance.now() + READY_TIMEOUT_MS;
  while (!isReady()) {
    server.mustRun();
    if (abort.aborted) throw new DemoError('interrupted', 'interrupted');
    if (performance.now() > end) throw new DemoError('not_ready', `the models were not ready within ${READY_TIMEOUT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function sized(connection: InferenceServer, server: DemoServer, subject: Subject, abort: AbortSignal): Promise<SizedModel> {
  const runtimesMs = (size: Size) => measure(connection, subject, size, abort);
  // The reference server takes the same time for every size.
  if (server.backend !== 'triton') return { input: FIRST_SIZE, profile: profileOf(await runtimesMs(FIRST_SIZE)) };
  return sizedModel(subject.wantedMs, FIRST_SIZE, runtimesMs);
}

/** Runtimes in ms, the round trip included. */
async function measure(connection: InferenceServer, { model, input }: Subject, size: Size, abort: AbortSignal): Promise<number[]> {
  const inputs = [greyImage(input, size)];
  await connection.warmUp(model, inputs, WARM_UP_CALLS);
  const runtimesMs: number[] = [];
  for (let call = 1; call <= CALLS; call += 1) {
    if (abort.aborted) throw new DemoError('interrupted', 'interrupted');
    const startMs = performance.now();
    const end = await connection.infer({ request: requestId(call), stream: 'calibration', backendModel: model, inputs });
    if (end.result !== 'ok') throw new DemoError('not_ready', `the model ${model} does not answer: ${end.detail}`);
    runtimesMs.push(performance.now() - startMs);
  }
  return runtimesMs;
}

const CHANNELS = 3;

function greyImage(name: string, { width, height }: Size): TensorSource {
  const elements = CHANNELS * width * height;
  return {
    name,
    datatype: 'FP32',
    shape: [1, CHANNELS, height, width],
    byteLength: elements * Float32Array.BYTES_PER_ELEMENT,
    write: (target) => new Float32Array(target.buffer, target.byteOffset, elements).fill(0.5),
  };
}
