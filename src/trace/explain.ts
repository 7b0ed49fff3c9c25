/** `vig trace explain`: one request in full, or what became of the frames of a stream. */
import { CAUSES, type Cause } from '../core/catalogue.js';
import { Stories, type Story } from './stories.js';
import { TraceError } from './trace-error.js';
import { readEvents, readHead } from './trace-reader.js';

export interface StreamAccount {
  readonly stream: string;
  readonly received: number;
  /** By `state/cause`, most frequent first; with the newest story of each. */
  readonly ends: readonly { readonly end: string; readonly count: number; readonly newest: Story }[];
  readonly unfinished: number;
}

/** @throws {TraceError} malformed or unreadable; undefined when the trace does not have it. */
export async function explainRequest(file: string, request: number): Promise<Story | undefined> {
  const stories = new Stories((await readHead(file)).configuration);
  for await (const traced of readEvents(file)) {
    const found = stories.add(traced).find((story) => story.request === request);
    if (found !== undefined) return found;
  }
  return stories.unfinished().find((story) => story.request === request);
}

/** @throws {TraceError} malformed, also where the trace has no such stream, or unreadable. */
export async function explainStream(file: string, stream: string): Promise<StreamAccount> {
  const { configuration } = await readHead(file);
  const known = configuration.streams.map(({ name }) => name);
  if (!known.includes(stream)) throw new TraceError('malformed', `${file}: there is no stream "${stream}"; it has ${known.join(', ')}`);
  const stories = new Stories(configuration);
  const ends = new Map<string, { count: number; newest: Story }>();
  for await (const traced of readEvents(file)) {
    for (const story of stories.add(traced)) {
      if (story.stream !== stream || story.end === undefined) continue;
      ends.set(story.end, { count: (ends.get(story.end)?.count ?? 0) + 1, newest: story });
    }
  }
  const unfinished = stories.unfinished().filter((story) => story.stream === stream).length;
  const sorted = [...ends].map(([end, rest]) => ({ end, ...rest })).sort((one, other) => other.count - one.count);
  return { stream, received: sorted.reduce((sum, { count }) => sum + count, unfinished), ends: sorted, unfinished };
}

export function storyText({ request, stream, lines, end }: Story): string {
  return [`request ${request} of ${stream}: ${end ?? 'not ended yet'}`, ...lines, ...remedyOf(end)].join('\n');
}

export function accountText({ stream, received, ends, unfinished }: StreamAccount): string {
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
