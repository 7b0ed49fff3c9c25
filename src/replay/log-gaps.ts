/**
 * Time in which no stream has a message: the clock of the recorder was set, or recording paused. The report counts it as time without
 * results. As with stamps (stamp-findings.ts), where it is half of the time or more the report misleads: a problem; else a finding.
 */
import type { MessageBlock } from './bag/message-block.js';
import type { Bag } from './bag/open-bag.js';
import { type BagProblem, formatBagProblem } from './bag/problem.js';
import { MISLEADING } from './stamp-findings.js';

/** A minute: far beyond the silence that the live node warns of, and no pause of a stream that is worth a contract. */
export const GAP_NS = 60e9;

interface Gap {
  readonly place: Pick<BagProblem, 'file' | 'at'>;
  readonly fromNs: number;
  readonly toNs: number;
}

export class LogGaps {
  readonly #bag: Bag;
  #firstNs = 0;
  #lastNs: number | undefined;
  #longest: Gap | undefined;
  #count = 0;
  #sumNs = 0;

  constructor(bag: Bag) {
    this.#bag = bag;
  }

  /** A stream has this message; streams are judged from their first one on. */
  note(block: MessageBlock, index: number): void {
    const atNs = block.sinceStartNs(index);
    if (this.#lastNs === undefined) this.#firstNs = atNs;
    else if (atNs - this.#lastNs > GAP_NS)
      this.#add({ place: { file: block.file, at: block.at(index) }, fromNs: this.#lastNs, toNs: atNs });
    if (this.#lastNs === undefined || atNs > this.#lastNs) this.#lastNs = atNs;
  }

  /** Once all of the bag is replayed: tells it of what misleads. @returns findings, one line each. */
  tell(): readonly string[] {
    const { span, name, problems } = this.#bag;
    if (span === undefined || this.#lastNs === undefined) return [];
    const endNs = Number(span.endNs - span.startNs);
    if (endNs - this.#lastNs > GAP_NS) this.#add({ place: { file: name, at: 'its end' }, fromNs: this.#lastNs, toNs: endNs });
    if (this.#longest === undefined) return [];
    const share = this.#sumNs / (endNs - this.#firstNs);
    const problem = { ...this.#longest.place, text: this.#text(this.#longest, share, span.startNs) };
    if (share < MISLEADING) return [formatBagProblem(problem)];
    problems.add(problem);
    return [];
  }

  #add(gap: Gap): void {
    const ns = gap.toNs - gap.fromNs;
    this.#count += 1;
    this.#sumNs += ns;
    if (this.#longest === undefined || ns > this.#longest.toNs - this.#longest.fromNs) this.#longest = gap;
  }

  #text({ fromNs, toNs }: Gap, share: number, startNs: bigint): string {
    const among = this.#count === 1 ? '' : `, the longest of ${this.#count} gaps of more than a minute`;
    const [from, to] = [startNs + BigInt(fromNs), startNs + BigInt(toNs)];
    return (
      `no stream has a message for ${duration(toNs - fromNs)} before this${among}; that is ${Math.floor(share * 1000) / 10} % of the time in which ` +
      'they are judged, and counts as time without results. The clock of the recorder was set, or recording paused: cut the bag there ' +
      `(ros2 bag convert, with end_time_ns: ${from} for one part and start_time_ns: ${to} for the other)`
    );
  }
}

function duration(ns: number): string {
  const minutes = ns / 60e9;
  if (minutes < 120) return `${minutes.toFixed(1)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}
