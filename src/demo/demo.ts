/** The whole demo: server, sizes, one arm or two, the comparison; everything it started ends before it does. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPlainNode, type PlainNode } from '../ros/plain-node.js';
import { removeLeftovers } from '../triton/region-names.js';
import { runArm } from './arm.js';
import type { ArmReport, DemoReport } from './arm-report.js';
import { calibrate } from './calibration.js';
import { PICTURE_FILE } from './checkout.js';
import { conclusion } from './conclusion.js';
import { DemoError } from './demo-error.js';
import {
  type DemoSettings,
  demoParameters,
  FRONT,
  GOVERNOR_NODE,
  NAMESPACE,
  parameterFileText,
  REAR,
  type SizedModel,
} from './demo-parameters.js';
import { type DemoServer, startReference, startTriton } from './demo-server.js';
import { freeDomain } from './free-ports.js';
import type { Screen } from './screen.js';
import { comparisonTable } from './table.js';
import { tritonMissing } from './triton-process.js';

export interface DemoOptions {
  /** Of each arm. */
  readonly seconds: number;
  readonly withoutGovernor: boolean;
  readonly backend: 'triton' | 'reference';
}

/**
 * @throws {RosUnavailableError} without ROS.
 * @throws {DemoError} when something does not start, ends by itself, or the demo is interrupted.
 */
export async function runDemo(options: DemoOptions, screen: Screen, abort: AbortSignal): Promise<DemoReport> {
  if (!existsSync(PICTURE_FILE)) throw new DemoError('missing', `${PICTURE_FILE} is missing: type npm run setup in the checkout`);
  process.env['ROS_DOMAIN_ID'] ??= String(await freeDomain()); // inherited by what is started
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-demo-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  try {
    return await withNode((plain) => withServer(options, { screen, abort, plain, folder }));
  } finally {
    process.off('exit', removeFolder);
    removeFolder();
  }
}

async function withNode<T>(use: (plain: PlainNode) => Promise<T>): Promise<T> {
  const plain = await openPlainNode('demo', NAMESPACE);
  try {
    return await use(plain);
  } finally {
    plain.close();
    removeLeftovers(); // of a node that had to be killed
  }
}

interface Surroundings {
  readonly screen: Screen;
  readonly abort: AbortSignal;
  readonly plain: PlainNode;
  readonly folder: string;
}

async function withServer(options: DemoOptions, surroundings: Surroundings): Promise<DemoReport> {
  const { screen, abort, folder } = surroundings;
  screen.say('Starting the inference server, then measuring how long the models take here …');
  const server = await startServer(options.backend, folder, screen, abort);
  try {
    const sizes = await calibrate(server, abort);
    screen.say(introduction(server, sizes, screen));
    const settings = { endpoint: server.endpoint, backend: server.backend, slots: server.slots, ...sizes };
    const arms: ArmReport[] = [];
    for (const governor of options.withoutGovernor ? [false] : [true, false]) {
      screen.say(governor ? GOVERNED_HEADING : UNGOVERNED_HEADING);
      const parameterFile = path.join(folder, governor ? 'governed.yaml' : 'ungoverned.yaml');
      writeFileSync(parameterFile, parameterFileText(demoParameters(settings, governor)));
      const arm = await runArm({ governor, seconds: options.seconds, parameterFile, server, ...surroundings });
      arms.push(arm);
      if (!arm.valid) break; // its calls would run into the next arm
    }
    return summary(server, arms, screen);
  } finally {
    await server.stop();
  }
}

async function startServer(backend: DemoOptions['backend'], folder: string, screen: Screen, abort: AbortSignal): Promise<DemoServer> {
  const missing = tritonMissing();
  if (backend === 'triton' && missing !== undefined) screen.say(`${missing}; the reference server stands in for it.`);
  if (backend === 'reference' || missing !== undefined) return startReference(abort);
  const repository = path.join(folder, 'models');
  mkdirSync(repository);
  return startTriton(repository, abort);
}

function summary(server: DemoServer, arms: readonly ArmReport[], screen: Screen): DemoReport {
  const [first, second] = arms;
  if (first === undefined) throw new RangeError('no arm was run');
  screen.say(`\n${comparisonTable(arms, screen.paint)}`);
  for (const { governor, invalid_because: because } of arms) {
    if (because !== undefined)
      screen.say(screen.paint.bad(`The arm ${governor ? 'with' : 'without'} the governor is not valid: ${because}.`));
  }
  if (second?.valid === true) screen.say(`\n${conclusion(first, second)}`);
  return { backend: server.backend, ...first, ...(second === undefined ? {} : { without_governor: second }) };
}

const GOVERNED_HEADING = '\nWith the governor: only what will still be fresh is started, the front camera first.';
const UNGOVERNED_HEADING = '\nWithout it: every frame is sent at once; up to ten of each camera wait at the server.';

function introduction({ backend }: DemoServer, { front, rear }: Pick<DemoSettings, 'front' | 'rear'>, { paint }: Screen): string {
  const size = ({ input: { width, height }, profile }: SizedModel) => `${width}x${height}, ${Math.round(profile.p50Us / 1000)} ms alone`;
  const server =
    backend === 'triton'
      ? 'Triton, held to one processor: its models share it like one GPU'
      : 'the reference server: its models only take time';
  const outcomes = `ROS_DOMAIN_ID=${process.env['ROS_DOMAIN_ID']} ros2 topic echo ${NAMESPACE}/${GOVERNOR_NODE}/outcomes`;
  return [
    paint.bold('vigilant governor: two cameras, two models, one processor'),
    `  front   30 Hz, finds faces (CenterFace ${size(front)}); of use up to ${FRONT.maxAgeMs} ms`,
    `  rear    30 Hz, finds text (PP-OCR ${size(rear)}); of use up to ${REAR.maxAgeMs} ms`,
    `  server  ${server}`,
    paint.dim(`  look on ${outcomes}`),
  ].join('\n');
}
