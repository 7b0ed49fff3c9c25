/** What the slots did for a while, one band a policy. */
import type { Execution, Ledger } from '../ledger.js';
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
    const view: View = { fromNs, toNs, toX };
    for (let frame = 0; frame < ledger.workload.frames; frame += 1) parts.push(...drawArrival(ledger, frame, y, view));
    for (const execution of ledger.executions) parts.push(...drawExecution(ledger, execution, y, view));
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

/** A tick below. */
function drawArrival(ledger: Ledger, frame: number, y: number, { fromNs, toNs, toX }: View): string[] {
  const arrivalNs = ledger.workload.arrivalNs[frame] as number;
  if (arrivalNs < fromNs || arrivalNs > toNs) return [];
  const top = y + ledger.scenario.backend.slots * LANE;
  return [element('line', { x1: toX(arrivalNs), x2: toX(arrivalNs), y1: top, y2: top + 5, stroke: colourOf(ledger, frame) })];
}

/** A box; what brought nothing fresh is hollow. */
function drawExecution(ledger: Ledger, { frame, slot, startNs, endNs }: Execution, y: number, { fromNs, toNs, toX }: View): string[] {
  if (!(endNs > fromNs && startNs < toNs)) return [];
  const left = toX(Math.max(startNs, fromNs));
  const colour = colourOf(ledger, frame);
  return [
    element('rect', {
      x: left,
      y: y + 1 + slot * LANE,
      width: Math.max(1, toX(Math.min(endNs, toNs)) - left - 0.8),
      height: LANE - 2,
      fill: ledger.states[frame] === 'delivered' ? colour : '#fff',
      stroke: colour,
    }),
  ];
}

function colourOf({ workload }: Ledger, frame: number): string {
  return streamColour(workload.stream[frame] as number);
}
