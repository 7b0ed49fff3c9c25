/** One request in full, or what became of the frames of a stream: of a file (`vig trace explain`) or of a running node (`~/explain`). */
import { CAUSES, type Cause } from '../core/catalogue.js';
import type { CoreConfiguration } from '../core/configuration.js';
import { Stories, type Story } from './stories.js';
import type { Decided } from './trace-reader.js';

export interface StreamAccount {
  readonly stream: string;
  readonly received: number;
  /** By `state/cause`, most frequent first; with the newest story of each. */
  readonly ends: readonly { readonly end: string; readonly count: number; readonly newest: Story }[];
  readonly unfinished: number;
}

type Events = AsyncIterable<Decided>;

/** @param subject a request id, or the name of a stream. @returns undefined when there is neither. */
export async function explain(
  configuration: CoreConfiguration,
  events: Events,
  subject: string,
): Promise<Story | StreamAccount | undefined> {
  if (/^\d+$/.test(subject)) return storyOf(configuration, events, Number(subject));
  return configuration.streams.some(({ name }) => name === subject) ? accountOf(configuration, events, subject) : undefined;
}

async function storyOf(configuration: CoreConfiguration, events: Events, request: number): Promise<Story | undefined> {
  const stories = new Stories(configuration);
  for await (const traced of events) {
    const found = stories.add(traced).find((story) => story.request === request);
    if (found !== undefined) return found;
  }
  return stories.unfinished().find((story) => story.request === request);
}

async function accountOf(configuration: CoreConfiguration, events: Events, stream: string): Promise<StreamAccount> {
  const stories = new Stories(configuration);
  const ends = new Map<string, { count: number; newest: Story }>();
  for await (const traced of events) {
    for (const story of stories.add(traced)) {
      if (story.stream !== stream || story.end === undefined) continue;
      ends.set(story.end, { count: (ends.get(story.end)?.count ?? 0) + 1, newest: story });
    }
  }
  const unfinished = stories.unfinished().filter((story) => story.stream === stream).length;
  const sorted = [...ends].map(([end, rest]) => ({ end, ...rest })).sort((one, other) => other.count - one.count);
  return { stream, received: sorted.reduce((sum, { count }) => sum + count, unfinished), ends: sorted, unfinished };
}

export function explanationText(explained: Story | StreamAccount): string {
  return 'lines' in explained ? storyText(explained) : accountText(explained);
}

/** Why there is nothing to explain. */
export function nothingKnown({ streams }: CoreConfiguration, subject: string): string {
  if (/^\d+$/.test(subject)) return `there is no request ${subject}; ids count from 1 in each run`;
  return `there is no stream "${subject}"; it has ${streams.map(({ name }) => name).join(', ')}`;
}

function storyText({ request, stream, lines, end }: Story): string {
  return [`request ${request} of ${stream}: ${end ?? 'not ended yet'}`, ...lines, ...remedyOf(end)].join('\n');
}

function accountText({ stream, received, ends, unfinished }: StreamAccount): string {
  const widest = Math.max(0, ...ends.map(({ end }) => end.length));
  const rows = ends.map(({ end, count }) => `  ${end.padEnd(widest)}  ${String(count).padStart(7)}`);
  const newest = ends.map(({ newest: story }) => `\nthe newest of these:\n${storyText(story)}`);
  const open = unfinished === 0 ? '' : `, ${unfinished} not ended yet`;
  return [`${stream}: ${received} frames${open}`, ...rows, ...newest].join('\n');
}

function remedyOf(end: string | undefined): string[] {
  const cause = end?.split('/')[1];
  return cause !== undefined && cause !== 'delivered' && cause in CAUSES ? [`what to do: ${CAUSES[cause as Cause].remedy}`] : [];
}
