/** One request in full, or what became of the frames of a stream: of a file (`vig trace explain`) or of a running node (`~/explain`). */
import { CAUSES, type Cause } from '../core/catalogue.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { SceneState } from './scene-state.js';
import { Stories, type Story } from './stories.js';
import type { Entry } from './trace-reader.js';

export interface StreamAccount {
  readonly stream: string;
  readonly received: number;
  /** By `state/cause`, most frequent first; with the newest story of each. */
  readonly ends: readonly { readonly end: string; readonly count: number; readonly newest: Story }[];
  readonly unfinished: number;
  /** Why those of the beginning are missing, where they are. */
  readonly lost?: string;
}

/** Why there is nothing to explain. */
export interface Nothing {
  readonly nothing: string;
}

/** What is recorded of a run. */
export interface Recorded {
  readonly configuration: CoreConfiguration;
  /** What stood already before the first entry. */
  readonly scene?: SceneState | undefined;
  readonly entries: AsyncIterable<Entry>;
  /** Why the beginning is missing, where it is. */
  readonly lost?: string | undefined;
}

/** @param subject a request id, or the name of a stream. */
export async function explain(recorded: Recorded, subject: string): Promise<Story | StreamAccount | Nothing> {
  if (/^\d+$/.test(subject)) return storyOf(recorded, Number(subject));
  const names = recorded.configuration.streams.map(({ name }) => name);
  if (names.includes(subject)) return accountOf(recorded, subject);
  return { nothing: `there is no stream "${subject}"; it has ${names.join(', ')}` };
}

async function storyOf({ configuration, scene, entries, lost }: Recorded, wanted: number): Promise<Story | Nothing> {
  const stories = new Stories(configuration, (request) => request === wanted, scene);
  for await (const entry of entries) {
    const [found] = stories.add(entry);
    if (found !== undefined) return found;
  }
  return stories.unfinished()[0] ?? { nothing: noRequest(wanted, stories.arrived, lost) };
}

function noRequest(wanted: number, arrived: Stories['arrived'], lost: string | undefined): string {
  if (arrived === undefined) return `there is no request ${wanted}: no request is recorded${lost === undefined ? '' : `; ${lost}`}`;
  const { first, last } = arrived;
  if (wanted < first && lost !== undefined)
    return `request ${wanted} is not recorded any more: what is begins at request ${first}; ${lost}`;
  return `there is no request ${wanted}; it has ${first} to ${last}, ids count from 1 in each run`;
}

async function accountOf({ configuration, scene, entries, lost }: Recorded, stream: string): Promise<StreamAccount> {
  const stories = new Stories(configuration, (_, of) => of === stream, scene);
  const ends = new Map<string, { count: number; newest: Story }>();
  for await (const entry of entries) {
    for (const story of stories.add(entry)) {
      if (story.end === undefined) continue;
      ends.set(story.end, { count: (ends.get(story.end)?.count ?? 0) + 1, newest: story });
    }
  }
  const unfinished = stories.unfinished().length;
  const sorted = [...ends].map(([end, rest]) => ({ end, ...rest })).sort((one, other) => other.count - one.count);
  const received = sorted.reduce((sum, { count }) => sum + count, unfinished);
  return { stream, received, ends: sorted, unfinished, ...(lost === undefined ? {} : { lost }) };
}

export function explanationText(explained: Story | StreamAccount): string {
  return 'lines' in explained ? storyText(explained) : accountText(explained);
}

function storyText({ request, stream, lines, end }: Story): string {
  return [`request ${request} of ${stream}: ${end ?? 'not ended yet'}`, ...lines, ...remedyOf(end)].join('\n');
}

function accountText({ stream, received, ends, unfinished, lost }: StreamAccount): string {
  const widest = Math.max(0, ...ends.map(({ end }) => end.length));
  const rows = ends.map(({ end, count }) => `  ${end.padEnd(widest)}  ${String(count).padStart(7)}`);
  const newest = ends.map(({ newest: story }) => `\nthe newest of these:\n${storyText(story)}`);
  const open = unfinished === 0 ? '' : `, ${unfinished} not ended yet`;
  return [`${stream}: ${received} frames${open}${lost === undefined ? '' : `; ${lost}`}`, ...rows, ...newest].join('\n');
}

function remedyOf(end: string | undefined): string[] {
  const cause = end?.split('/')[1];
  return cause !== undefined && cause !== 'delivered' && cause in CAUSES ? [`what to do: ${CAUSES[cause as Cause].remedy}`] : [];
}
