/**
 * The node's own share of a frame's way, and the way from end to end, against a node that people write by hand: the same frames, the same
 * server, in one run.
 */
import path from 'node:path';
import type { BenchContext, Topic } from './context.js';
import { governor, RESULT_TOPIC } from './governor.js';
import { FULL_HD, type ImageSize, samplingModel, VGA } from './models.js';
import { plainClientEnvironment } from './plain-client.js';
import { type Arm, type ArmNode, IMAGE_TOPIC, pythonFile, type Recording, record, type StampRow, stampRows } from './recording.js';
import type { FigureTable, Section } from './report.js';
import { percentile, shown, spreadOf } from './statistics.js';

const RATE_HZ = 30;
const PLAIN_TOPIC = '/bench/plain/result';

type NodeName = 'governor' | 'plain node';
type Transport = 'inline' | 'shared_memory';

interface Subject {
  readonly size: ImageSize;
  readonly transport: Transport;
  readonly node: NodeName;
}

const SIZES = [VGA, FULL_HD];
const TRANSPORTS: readonly Transport[] = ['inline', 'shared_memory'];
const NODES: readonly NodeName[] = ['governor', 'plain node'];
const SUBJECTS: readonly Subject[] = SIZES.flatMap((size) =>
  TRANSPORTS.flatMap((transport) => NODES.map((node) => ({ size, transport, node }))),
);

/** Goals for the governor's own share, median of a frame. */
const GOALS = [
  { size: VGA, limitMs: 1 },
  { size: FULL_HD, limitMs: 3 },
];

/** One repeat of one subject; times in ms. */
interface Figures {
  readonly dispatchP50: number;
  readonly dispatchP99: number;
  readonly publishP50: number;
  readonly publishP99: number;
  readonly ownP50: number;
  readonly ownP99: number;
  readonly callP50: number;
  readonly endToEndP50: number;
  readonly endToEndP99: number;
  readonly cpuPerFrame: number;
  readonly frames: number;
  readonly results: number;
}
type Repeats = ReadonlyMap<Subject, readonly Figures[]>;

export const nodeShare: Topic = {
  name: 'node-share',
  description: 'latency inside the node and from end to end, against a plain rclpy node',
  async measure(context) {
    const clientEnvironment = await plainClientEnvironment(context.progress);
    const repeats = new Map(SUBJECTS.map((subject) => [subject, [] as Figures[]]));
    for (let repeat = 0; repeat < context.repeats; repeat += 1) {
      // In turn, and backwards every other time: what drifts meets all alike.
      for (const subject of repeat % 2 === 0 ? SUBJECTS : SUBJECTS.toReversed()) {
        context.progress(`node-share: repeat ${repeat + 1} of ${context.repeats}, ${nameOf(subject)}`);
        repeats.get(subject)?.push(await measureOnce(subject, context, clientEnvironment));
      }
    }
    return section(repeats, context);
  },
};

function nameOf({ size, transport, node }: Subject): string {
  return `${caseOf({ size, transport })}, ${node}`;
}

function caseOf({ size, transport }: Omit<Subject, 'node'>): string {
  return `${size.width}x${size.height} ${transport === 'inline' ? 'inline' : 'shared memory'}`;
}

async function measureOnce(subject: Subject, context: BenchContext, clientEnvironment: NodeJS.ProcessEnv): Promise<Figures> {
  const stampFile = path.join(context.folder, 'stamps.json');
  const { endpoint } = await context.triton();
  const governed = subject.node === 'governor';
  const node = governed
    ? governorOf(subject, endpoint, context.folder, stampFile)
    : plainNode(subject, endpoint, clientEnvironment, stampFile);
  const arm: Arm = { node, resultTopic: governed ? RESULT_TOPIC : PLAIN_TOPIC, image: subject.size, rateHz: RATE_HZ };
  const recording = await record(arm, context);
  return figures(recording, stampRows(stampFile, recording));
}

function governorOf({ size, transport }: Subject, endpoint: string, folder: string, stampFile: string): ArmNode {
  const model = samplingModel(size).name;
  return governor({
    folder,
    endpoint,
    backend: { transport },
    model,
    runtimeUs: 3000,
    rateHz: RATE_HZ,
    maxAgeMs: 1000,
    stampFile,
  });
}

function plainNode({ size, transport }: Subject, endpoint: string, environment: NodeJS.ProcessEnv, stampFile: string): ArmNode {
  const model = samplingModel(size).name;
  return {
    name: 'the plain node',
    command: 'python3',
    arguments: [
      pythonFile('plain_node.py'),
      IMAGE_TOPIC,
      PLAIN_TOPIC,
      endpoint,
      model,
      `${size.width}`,
      `${size.height}`,
      transport,
      stampFile,
    ],
    environment,
    ready: /^ready$/,
  };
}

function figures({ frames, results }: Recording, ways: readonly StampRow[]): Figures {
  const at = (values: readonly number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
  const dispatch = at(ways.map((way) => way.dispatch_ms));
  const publish = at(ways.map((way) => way.publish_ms));
  const own = at(ways.map((way) => way.dispatch_ms + way.publish_ms));
  const endToEnd = at(results.map((result) => (result.arrival_us - result.stamp_us) / 1000));
  const cpu = ways.map((way) => way.cpu_ms);
  return {
    dispatchP50: dispatch.p50,
    dispatchP99: dispatch.p99,
    publishP50: publish.p50,
    publishP99: publish.p99,
    ownP50: own.p50,
    ownP99: own.p99,
    callP50: at(ways.map((way) => way.call_ms)).p50,
    endToEndP50: endToEnd.p50,
    endToEndP99: endToEnd.p99,
    cpuPerFrame: (Math.max(...cpu) - Math.min(...cpu)) / (frames.length - 1),
    frames: frames.length,
    results: results.length,
  };
}

function section(repeats: Repeats, { seconds }: BenchContext): Section {
  const frames = Math.round(seconds * RATE_HZ);
  return {
    title: "The node's own share, and end to end",
    method: [
      `An rclpy process publishes rgb8 images at ${RATE_HZ} Hz; a node sends each to Triton (a Python model that takes the whole tensor and ` +
        `answers with 16 bytes of it); another rclpy process notes when the result arrives. The governor is bin/vig run. The plain node is ` +
        'what people write by hand (benchmark/plain_node.py): rclpy, tritonclient in the callback, keep last 1. Each arm ' +
        `has processes of its own and about ${frames} frames a repeat, after 1.5 s to settle; arms take turns, backwards every other repeat.`,
      'Dispatch: from the entry of the subscription callback until the call is handed to gRPC (governor) or tritonclient (plain node), the ' +
        'tensor written. Publish: from the answer of gRPC until the result is published. End to end: from the stamp of the image, taken as it ' +
        'is published, to the callback of the consumer. ms; median of the repeats, in brackets the lowest and the highest.',
    ],
    tables: [ownTable(repeats), endToEndTable(repeats), ratioTable(repeats)],
    conclusions: conclusions(repeats),
    figures: [...repeats].map(([{ size, transport, node }, runs]) => ({ ...size, transport, node, repeats: runs })),
  };
}

function ownTable(repeats: Repeats): FigureTable {
  return {
    columns: ['', 'dispatch p50', 'dispatch p99', 'publish p50', 'publish p99', 'both p50', 'both p99'],
    rows: SUBJECTS.map((subject) => [
      nameOf(subject),
      ...(['dispatchP50', 'dispatchP99', 'publishP50', 'publishP99', 'ownP50', 'ownP99'] as const).map((key) =>
        cell(repeats, subject, key),
      ),
    ]),
  };
}

function endToEndTable(repeats: Repeats): FigureTable {
  return {
    columns: ['', 'end to end p50', 'end to end p99', 'CPU of the node a frame', 'call p50', 'results', 'frames'],
    rows: SUBJECTS.map((subject) => [
      nameOf(subject),
      ...(['endToEndP50', 'endToEndP99', 'cpuPerFrame', 'callP50'] as const).map((key) => cell(repeats, subject, key)),
      ...(['results', 'frames'] as const).map((key) => `${total(repeats, subject, key)}`),
    ]),
  };
}

/** In each repeat the governor against the plain node. */
function ratioTable(repeats: Repeats): FigureTable {
  return {
    columns: ['governor / plain node', 'own share p50', 'own share p99', 'end to end p50', 'end to end p99', 'CPU'],
    rows: cases().map((one) => [
      caseOf(one),
      ...(['ownP50', 'ownP99', 'endToEndP50', 'endToEndP99', 'cpuPerFrame'] as const).map((key) =>
        shown(spreadOf(ratios(repeats, one, key))),
      ),
    ]),
  };
}

function conclusions(repeats: Repeats): readonly string[] {
  const goals = GOALS.flatMap(({ size, limitMs }) =>
    TRANSPORTS.filter((transport) => transport === 'shared_memory' || size === VGA).map((transport) => {
      const own = values(repeats, { size, transport, node: 'governor' }, 'ownP50');
      const met = own.filter((value) => value < limitMs).length;
      return `Goal: own share p50 under ${limitMs} ms at ${caseOf({ size, transport })}: ${shown(spreadOf(own))} ms, met in ${met} of ${own.length} repeats.`;
    }),
  );
  const tails = cases().map((one) => {
    const tail = ratios(repeats, one, 'endToEndP99');
    return `${caseOf(one)} in ${tail.filter((ratio) => ratio < 1).length} of ${tail.length} repeats`;
  });
  return [...goals, `Goal: end to end p99 below the plain node's in the same repeat: ${tails.join(', ')}.`, ...prices(repeats)];
}

function prices(repeats: Repeats): readonly string[] {
  const governed = (size: ImageSize, transport: Transport, key: keyof Figures): string =>
    spreadOf(values(repeats, { size, transport, node: 'governor' }, key)).median.toFixed(2);
  const ratio = (size: ImageSize, transport: Transport, key: keyof Figures): string =>
    shown(spreadOf(ratios(repeats, { size, transport }, key)));
  return [
    `What the governor does for each frame besides the call (judging its age, deciding, one outcome, counting) makes its own share at 640x480 ` +
      `${ratio(VGA, 'shared_memory', 'ownP50')} times the plain node's, and its processor time ${ratio(VGA, 'shared_memory', 'cpuPerFrame')} times.`,
    `At 1920x1080 by shared memory end to end p50 is ${ratio(FULL_HD, 'shared_memory', 'endToEndP50')} times the plain node's and the processor ` +
      `time ${ratio(FULL_HD, 'shared_memory', 'cpuPerFrame')} times; the plain node's differs from one process to the next.`,
    `Shared memory at 1920x1080 against inline: end to end p50 ${governed(FULL_HD, 'shared_memory', 'endToEndP50')} instead of ` +
      `${governed(FULL_HD, 'inline', 'endToEndP50')} ms, processor time ${governed(FULL_HD, 'shared_memory', 'cpuPerFrame')} instead of ` +
      `${governed(FULL_HD, 'inline', 'cpuPerFrame')} ms a frame. Its price: a region of 6.2 MB in /dev/shm for each credit of a model, only on ` +
      'the machine of the server, and a region whose call has no proven end is kept back.',
    `Inline at 1920x1080 end to end p99 is ${ratio(FULL_HD, 'inline', 'endToEndP99')} times the plain node's: gRPC in Node copies the tensor twice ` +
      'more, and 19 MB of buffers a frame keep the garbage collector busy. A server on another machine is better sent a resized image ' +
      '(models.<name>.input.width and height).',
    'bin/vig starts Node with --initial-old-space-size=256: without it V8 falls at times into collecting the whole heap for every few images, ' +
      'which showed as tens of milliseconds at the tail. Its price: the process may hold 256 MB of garbage before it does.',
  ];
}

function cases(): readonly Omit<Subject, 'node'>[] {
  return SIZES.flatMap((size) => TRANSPORTS.map((transport) => ({ size, transport })));
}

function values(repeats: Repeats, { size, transport, node }: Subject, key: keyof Figures): readonly number[] {
  const subject = SUBJECTS.find((one) => one.size === size && one.transport === transport && one.node === node);
  return (subject === undefined ? undefined : repeats.get(subject))?.map((run) => run[key]) ?? [];
}

function ratios(repeats: Repeats, one: Omit<Subject, 'node'>, key: keyof Figures): readonly number[] {
  const plain = values(repeats, { ...one, node: 'plain node' }, key);
  return values(repeats, { ...one, node: 'governor' }, key).map((value, repeat) => value / (plain[repeat] ?? Number.NaN));
}

function cell(repeats: Repeats, subject: Subject, key: keyof Figures): string {
  return shown(spreadOf(values(repeats, subject, key)));
}

function total(repeats: Repeats, subject: Subject, key: keyof Figures): number {
  return values(repeats, subject, key).reduce((sum, value) => sum + value, 0);
}
