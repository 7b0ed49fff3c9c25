/** The sections of the report, from the figures of all scenarios. */
import type { FigureTable, Section } from '../report.js';
import { consumerUncovered, type Figures, type Load, ofStream, windowUncovered, worstConsumer, worstOf, worstWindow } from './figures.js';
import {
  PUBLISHED_A,
  PUBLISHED_B,
  PUBLISHED_QUANTA,
  PUBLISHED_RAMP,
  PUBLISHED_WIRE,
  PUBLISHED_WRONG_PROFILE,
  type PublishedCoverage,
} from './published.js';
import {
  FLOOR_LOADS,
  FLOORS_S,
  FRONTIER_PERIODS_MS,
  GOVERNORS,
  PROFILE_ERROR_LOADS,
  PROFILE_ERRORS,
  QUANTA,
  ROUND_TRIP_LOADS,
  ROUND_TRIPS,
  SUPPLY,
} from './studies.js';
import { bestVariantShare, coverageTable, detailTable, loadText, middle, NOTHING, pair, priceTable, rowsOf, viewsOf } from './tables.js';

/** By name of the scenario; what was not run is not there. */
export type AllFigures = ReadonlyMap<string, Figures>;

const WORST = [worstWindow, worstConsumer] as const;
const ESSENTIAL = ['fifo-1', ...GOVERNORS];

export function sections(all: AllFigures): Section[] {
  return [
    coverage(all, 'a-freshness', 'A: one camera', [1100, 1500], 1100, PUBLISHED_A),
    coverage(all, 'a-freshness-clock', 'A, the consumer clock declared', [1100, 1500], 1100),
    coverage(all, 'b-protected', 'B: protected against best effort', [1000, 1100, 1500], 1100, PUBLISHED_B),
    coverage(all, 'b-protected-clock', 'B, the consumer clock declared', [1000, 1100, 1500], 1100),
    floors(all),
    ramp(all),
    coverage(all, 'ramp-clock', 'Ramp, the consumer clocks declared', [1000, 1100], 1100),
    wrongProfiles(all),
    roundTrips(all),
    supply(all),
    frontier(all),
    coverage(all, 'four-cameras', 'Four cameras and a floor, two slots', [null], null),
    quanta(all),
    wire(all),
  ].filter((section) => section !== undefined);
}

function coverage(
  all: AllFigures,
  scenario: string,
  title: string,
  priced: readonly Load[],
  detailed: Load,
  published?: PublishedCoverage,
): Section | undefined {
  const figures = all.get(scenario);
  if (figures === undefined) return undefined;
  const has = (load: Load) => figures.loads.includes(load);
  const views = [coverageTable(figures, 'window', published), coverageTable(figures, 'consumer')];
  return section(title, figures, [
    ...views,
    ...priced.filter(has).map((load) => priceTable(figures, load)),
    ...(has(detailed) ? [detailTable(figures, detailed)] : []),
  ]);
}

function ramp(all: AllFigures): Section | undefined {
  const figures = all.get('ramp');
  if (figures === undefined) return undefined;
  const [detector = '', ...high] = figures.guarded;
  const cell = (policy: string, load: Load) =>
    `${viewsOf(figures, policy, load, detector)} · ${pair(figures, policy, load, worstOf(high, windowUncovered), worstOf(high, consumerUncovered))}`;
  const published = (label: string, of: 'governor' | 'fifo') => [
    `*earlier, ${label}, published*`,
    ...figures.loads.map((load) => PUBLISHED_RAMP.find((row) => row.load === load)?.[of].join(' · ') ?? NOTHING),
  ];
  return section('Ramp: cameras that get faster', figures, [
    {
      columns: ['detector · worst high stream, W/C ‰', ...figures.loads.map(loadText)],
      rows: [
        ...rowsOf(figures).map(({ label, policy }) => [label, ...figures.loads.map((load) => cell(policy, load))]),
        published('governor', 'governor'),
        published('fifo', 'fifo'),
      ],
    },
    coverageTable(figures, 'window'),
    coverageTable(figures, 'consumer'),
    ...[1000, 1100].filter((load) => figures.loads.includes(load)).map((load) => priceTable(figures, load)),
    ...(figures.loads.includes(1100) ? [detailTable(figures, 1100)] : []),
  ]);
}

function wrongProfiles(all: AllFigures): Section | undefined {
  const names = ['0.7', '1', ...PROFILE_ERRORS.filter((error) => error !== '0.7')];
  const rows = names.flatMap((error) => {
    const figures = all.get(error === '1' ? 'ramp' : `ramp-profile-${error}`);
    if (figures === undefined) return [];
    const [detector = '', ...high] = figures.guarded;
    return ESSENTIAL.map((policy, index) => [
      index === 0 ? `x ${error}: ${policy}` : `· ${policy}`,
      ...PROFILE_ERROR_LOADS.flatMap((load) => [
        viewsOf(figures, policy, load, detector),
        pair(figures, policy, load, worstOf(high, windowUncovered), worstOf(high, consumerUncovered)),
      ]),
    ]);
  });
  const published = Object.entries(PUBLISHED_WRONG_PROFILE).map(([margin, values]) => [
    `*x 2.0: earlier, ${margin}, published*`,
    ...PROFILE_ERROR_LOADS.flatMap((load) => (load === 1100 ? values.map(String) : [NOTHING, NOTHING])),
  ]);
  const columns = ['declared / true runtime', ...PROFILE_ERROR_LOADS.flatMap((load) => [`detector at ${loadText(load)}`, 'worst high'])];
  return rows.length === 0
    ? undefined
    : section('Ramp with wrong profiles', all.get('ramp-profile-2.0'), [{ columns, rows: [...rows, ...published] }]);
}

function roundTrips(all: AllFigures): Section | undefined {
  const cells = (scenario: string, load: Load) => {
    const figures = all.get(scenario);
    return ESSENTIAL.map((policy) => (figures === undefined ? NOTHING : pair(figures, policy, load, ...WORST)));
  };
  const scenarios = Object.entries(ROUND_TRIP_LOADS);
  if (!scenarios.some(([scenario]) => ROUND_TRIPS.some(({ ms, depth }) => all.has(`${scenario}-round-trip-${ms}-depth-${depth}`))))
    return undefined;
  const rows = [
    ['0 ms, depth 0', ...scenarios.flatMap(([scenario, load]) => cells(scenario, load))],
    ...ROUND_TRIPS.map(({ ms, depth }) => [
      `${ms} ms, depth ${depth}`,
      ...scenarios.flatMap(([scenario, load]) => cells(`${scenario}-round-trip-${ms}-depth-${depth}`, load)),
    ]),
  ];
  const columns = [
    'round trip',
    ...scenarios.flatMap(([scenario, load]) => ESSENTIAL.map((policy) => `${scenario} ${loadText(load)}: ${policy}`)),
  ];
  return section('Round trip and pipelining', all.get(`${scenarios[0]?.[0]}-round-trip-1-depth-1`), [{ columns, rows }]);
}

/** A row for each policy, a column for each scenario of a family. */
function family(
  all: AllFigures,
  names: readonly string[],
  first: string,
  head: (name: string) => string,
  cell: (figures: Figures, policy: string) => string,
): FigureTable | undefined {
  const found = names.filter((name) => all.has(name));
  const [one, ...others] = found.map((name) => all.get(name)).filter((figures) => figures !== undefined);
  if (one === undefined) return undefined;
  return {
    columns: [first, ...found.map(head)],
    rows: rowsOf(one, others).map(({ label, policy }) => [label, ...found.map((name) => cell(all.get(name) ?? one, policy))]),
  };
}

function supply(all: AllFigures): Section | undefined {
  const table = family(
    all,
    SUPPLY,
    'detector W/C ‰ (results of the background)',
    (name) => name.slice('supply-'.length).replace(/(\d+)(-clock)?/, (_, ms, clock) => `${ms} ms${clock === undefined ? '' : ', clock'}`),
    (figures, policy) =>
      `${viewsOf(figures, policy, null, 'detector')} (${middle(
        figures.spread(
          policy,
          null,
          ofStream('background', ({ delivered }) => delivered),
        ),
      )})`,
  );
  return table && section('Supply: what is free for the background', all.get('supply-15'), [table]);
}

function frontier(all: AllFigures): Section | undefined {
  const names = FRONTIER_PERIODS_MS.map((ms) => `frontier-${ms}`);
  const table = family(
    all,
    names,
    'W/C ‰ (large variant, ‰ of the results)',
    (name) => `every ${name.slice('frontier-'.length)} ms`,
    (figures, policy) =>
      `${viewsOf(figures, policy, null, 'camera')} (${middle(figures.spread(policy, null, bestVariantShare('camera')))})`,
  );
  return table && section('Frontier: how long the large variant can be kept', all.get('frontier-14'), [table]);
}

function floors(all: AllFigures): Section | undefined {
  const scenarios = [
    { label: 'none', figures: all.get('b-protected') },
    ...FLOORS_S.map((seconds) => ({ label: `one in ${seconds} s`, figures: all.get(`b-protected-floor-${seconds}`) })),
  ];
  const rows = scenarios.flatMap(({ label, figures }) =>
    figures === undefined
      ? []
      : GOVERNORS.map((policy, index) => [
          index === 0 ? `${label}: ${policy}` : `· ${policy}`,
          ...FLOOR_LOADS.map(
            (load) =>
              `${pair(figures, policy, load, ...WORST)} (${middle(
                figures.spread(
                  policy,
                  load,
                  ofStream('vlm', ({ delivered }) => delivered),
                ),
              )})`,
          ),
        ]),
  );
  const columns = ['firm floor of the vlm', ...FLOOR_LOADS.map((load) => `worst W/C (answers) at ${loadText(load)}`)];
  return all.has('b-protected-floor-1')
    ? section('B with a floor for the language model: its price', all.get('b-protected-floor-1'), [{ columns, rows }])
    : undefined;
}

function quanta(all: AllFigures): Section | undefined {
  const table = family(
    all,
    QUANTA,
    'detector W/C ‰ (texts)',
    (name) => name,
    (figures, policy) =>
      `${viewsOf(figures, policy, null, 'detector')} (${middle(
        figures.spread(
          policy,
          null,
          ofStream('text', ({ delivered }) => delivered),
        ),
      )})`,
  );
  if (table === undefined) return undefined;
  const published = PUBLISHED_QUANTA.map(({ label, covered, texts }) => [
    `*earlier, ${label}, published of a GPU*`,
    `${(100 - covered) * 10} (${texts})`,
    ...table.columns.slice(2).map(() => NOTHING),
  ]);
  return section('Quanta: a text cut to fit the gaps', all.get(QUANTA[0] ?? ''), [{ ...table, rows: [...table.rows, ...published] }]);
}

function wire(all: AllFigures): Section | undefined {
  const figures = all.get('wire');
  const [load] = figures?.loads ?? [];
  if (figures === undefined || load === undefined) return undefined;
  const streams = figures.scenario.streams.map(({ name }) => name);
  const covered = (policy: string, stream: string) => {
    const uncovered = figures.median(policy, load, ofStream(stream, windowUncovered));
    return uncovered === undefined ? NOTHING : (100 - uncovered / 10).toFixed(1);
  };
  const published = (label: string, at: 0 | 1) => [
    `*earlier, ${label}, published*`,
    ...streams.map((stream) => String(PUBLISHED_WIRE[stream]?.[at] ?? NOTHING)),
  ];
  return section('Wire: the mix that the earlier implementation ran over gRPC', figures, [
    {
      columns: ['windows covered, %', ...streams],
      rows: [
        ...rowsOf(figures).map(({ label, policy }) => [label, ...streams.map((stream) => covered(policy, stream))]),
        published('without governor', 0),
        published('governor', 1),
      ],
    },
    detailTable(figures, load),
  ]);
}

function section(title: string, figures: Figures | undefined, tables: readonly FigureTable[]): Section {
  const { runNs = 0, backend } = figures?.scenario ?? {};
  const slots = backend === undefined ? '' : `, ${backend.slots} slot${backend.slots === 1 ? '' : 's'}`;
  const method = figures === undefined ? [] : [`${figures.scenario.name}.yaml, ${runNs / 1e9} s${slots}, ${figures.seeds} seeds.`];
  return { title, method, tables, conclusions: [], figures: {} };
}
