/** One slot that never has to wait for work: what sending the next call ahead gains, and what it costs. */
import type { BenchContext, Topic } from './context.js';
import { governor, RESULT_TOPIC } from './governor.js';
import { TIMED_MS, timedModel, VGA } from './models.js';
import { type Recording, record } from './recording.js';
import type { FigureTable, Section } from './report.js';
import { percentile, shown, spreadOf } from './statistics.js';

const RATE_HZ = 60;
const DEPTHS = [0, 1] as const;
type Depth = (typeof DEPTHS)[number];

/** One repeat at one depth. */
interface Figures {
  readonly gapP50Ms: number;
  readonly gapP95Ms: number;
  readonly idlePercent: number;
  readonly resultsPerSecond: number;
  readonly ageP50Ms: number;
  readonly ageP95Ms: number;
}
type Repeats = ReadonlyMap<Depth, readonly Figures[]>;

export const pipelining: Topic = {
  name: 'pipelining',
  description: 'pipelining_depth 0 against 1: idle gap of the server, throughput, age of the results',
  async measure(context) {
    const repeats = new Map(DEPTHS.map((depth) => [depth, [] as Figures[]]));
    for (let repeat = 0; repeat < context.repeats; repeat += 1) {
      for (const depth of repeat % 2 === 0 ? DEPTHS : DEPTHS.toReversed()) {
        context.progress(`pipelining: repeat ${repeat + 1} of ${context.repeats}, depth ${depth}`);
        repeats.get(depth)?.push(figures(await recordDepth(depth, context)));
      }
    }
    return section(repeats, context);
  },
};

async function recordDepth(depth: Depth, context: BenchContext): Promise<Recording> {
  const { endpoint } = await context.triton();
  const node = governor({
    folder: context.folder,
    endpoint,
    backend: { transport: 'shared_memory', pipelining_depth: depth },
    model: timedModel(VGA, TIMED_MS).name,
    runtimeUs: TIMED_MS * 1000,
    rateHz: RATE_HZ,
    maxAgeMs: 200,
  });
  return record({ node, resultTopic: RESULT_TOPIC, image: VGA, rateHz: RATE_HZ }, context);
}

function figures({ results }: Recording): Figures {
  const runs = results
    .map(({ times_us: [started = 0, ended = 0] }) => ({ startedUs: started, endedUs: ended }))
    .toSorted((a, b) => a.startedUs - b.startedUs);
  const gaps = runs.slice(1).map(({ startedUs }, index) => (startedUs - (runs[index]?.endedUs ?? startedUs)) / 1000);
  const wallMs = ((runs.at(-1)?.startedUs ?? 0) - (runs[0]?.startedUs ?? 0)) / 1000;
  const ages = results.map((result) => result.age_us / 1000);
  return {
    gapP50Ms: percentile(gaps, 0.5),
    gapP95Ms: percentile(gaps, 0.95),
    idlePercent: (100 * gaps.reduce((sum, gap) => sum + gap, 0)) / wallMs,
    resultsPerSecond: (1000 * gaps.length) / wallMs,
    ageP50Ms: percentile(ages, 0.5),
    ageP95Ms: percentile(ages, 0.95),
  };
}

function section(repeats: Repeats, { seconds }: BenchContext): Section {
  return {
    title: 'Pipelining depth 0 against 1',
    method: [
      `One slot, one model that takes ${TIMED_MS} ms as a device of its own would (it sleeps), one stream of 640x480 images at ${RATE_HZ} Hz with ` +
        `queue.policy latest, by shared memory: there is always a newer frame. ${seconds} s a repeat, depths in turn. The gap is the server's time ` +
        'between the end of one execution and the start of the next, as the model itself notes them. Median of the repeats, in brackets the ' +
        'lowest and the highest.',
    ],
    tables: [table(repeats)],
    conclusions: conclusions(repeats),
    figures: [...repeats].map(([depth, runs]) => ({ depth, repeats: runs })),
  };
}

function table(repeats: Repeats): FigureTable {
  const keys = ['gapP50Ms', 'gapP95Ms', 'idlePercent', 'resultsPerSecond', 'ageP50Ms', 'ageP95Ms'] as const;
  return {
    columns: ['', 'idle gap p50, ms', 'idle gap p95, ms', 'idle, %', 'results a second', 'age p50, ms', 'age p95, ms'],
    rows: DEPTHS.map((depth) => [`depth ${depth}`, ...keys.map((key) => shown(spreadOf(values(repeats, depth, key))))]),
  };
}

function conclusions(repeats: Repeats): readonly string[] {
  const median = (depth: Depth, key: keyof Figures): number => spreadOf(values(repeats, depth, key)).median;
  const both = (key: keyof Figures): string => `${median(0, key).toFixed(1)} → ${median(1, key).toFixed(1)}`;
  const before = values(repeats, 0, 'resultsPerSecond');
  const gain = spreadOf(values(repeats, 1, 'resultsPerSecond').map((value, repeat) => value / (before[repeat] ?? Number.NaN)));
  return [
    `Depth 1 against 0 in the same repeat: ${shown(gain, 3)} times the results; the server's idle gap ${both('gapP50Ms')} ms.`,
    `Its price: a call that was sent ahead cannot be taken back for a newer frame. Age p50 ${both('ageP50Ms')} ms, p95 ${both('ageP95Ms')} ms.`,
  ];
}

function values(repeats: Repeats, depth: Depth, key: keyof Figures): readonly number[] {
  return repeats.get(depth)?.map((run) => run[key]) ?? [];
}
