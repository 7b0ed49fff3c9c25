/** What the slots did for a while, one band a policy. */
import type { Ledger } from '../ledger.js';
import { streamColour } from './colours.js';
import { element, text } from './svg.js';

const LABEL = 170;
const LANE = 18;
const GAP = 8;
const AXIS = 20;
const TICKS = 5;
const NS_PER_MS = 1_000_000;

export interface Band {
  readonly policy: string;
  readonly ledger: Ledger;
}

/** @returns the drawing and how high it is. */
export function drawGantt(bands: readonly Band[], fromNs: number, toNs: number, width: number): { content: string; height: number } {
  const toX = (ns: number) => LABEL + ((ns - fromNs) / (toNs - fromNs)) * (width - LABEL);
  const parts: string[] = [];
  let y = 0;
  for (const { policy, ledger } of bands) {
    const { slots } = ledger.scenario.backend;
    parts.push(text(0, y + 13, policy), element('rect', { x: LABEL, y, width: width - LABEL, height: slots * LANE, fill: '#f4f5f7' }));
    for (let frame = 0; frame < ledger.workload.frames; frame += 1) parts.push(...drawFrame(ledger, frame, y, { fromNs, toNs, toX }));
    y += slots * LANE + GAP;
  }
  for (let tick = 0; tick <= TICKS; tick += 1) {
    const ns = fromNs + ((toNs - fromNs) * tick) / TICKS;
    const anchor = tick === 0 ? 'start' : tick === TICKS ? 'end' : 'middle';
    parts.push(text(toX(ns), y + 10, `${Math.round(ns / NS_PER_MS)} ms`, { 'text-anchor': anchor, fill: '#555' }));
  }
  return { content: parts.join(''), height: y + AXIS };
}

interface View {
  readonly fromNs: number;
  readonly toNs: number;
  readonly toX: (ns: number) => number;
}

/** The arrival as a tick below, the execution as a box; what brought nothing fresh is hollow. */
function drawFrame(ledger: Ledger, frame: number, y: number, { fromNs, toNs, toX }: View): string[] {
  const colour = streamColour(ledger.workload.stream[frame] as number);
  const { slots } = ledger.scenario.backend;
  const parts: string[] = [];
  const arrivalNs = ledger.workload.arrivalNs[frame] as number;
  if (arrivalNs >= fromNs && arrivalNs <= toNs) {
    const x = toX(arrivalNs);
    parts.push(element('line', { x1: x, x2: x, y1: y + slots * LANE, y2: y + slots * LANE + 5, stroke: colour }));
  }
  const startNs = ledger.startNs[frame] as number;
  const endNs = ledger.endNs[frame] as number;
  if (!(endNs > fromNs && startNs < toNs)) return parts;
  const left = toX(Math.max(startNs, fromNs));
  const fresh = ledger.states[frame] === 'delivered';
  parts.push(
    element('rect', {
      x: left,
      y: y + 1 + (ledger.slot[frame] as number) * LANE,
      width: Math.max(1, toX(Math.min(endNs, toNs)) - left - 0.8),
      height: LANE - 2,
      fill: fresh ? colour : '#fff',
      stroke: colour,
    }),
  );
  return parts;
}
