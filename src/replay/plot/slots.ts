/** Which stream was on which slot, for a piece of the bag. */
import { drawLegend } from '../../simulator/plot/chart.js';
import { streamColour } from '../../simulator/plot/colours.js';
import { element, moved, text } from '../../simulator/plot/svg.js';
import type { Timeline } from './timeline.js';

const LABEL = 110;
const LANE = 18;
const GAP = 8;
const AXIS = 20;
const TICKS = 5;
const NS_PER_S = 1e9;

/** @returns the drawing and how high it is. */
export function drawSlots({ piece, executions, streams, busyNs }: Timeline, width: number): { content: string; height: number } {
  const { fromNs, toNs } = piece;
  const toX = (ns: number) => LABEL + ((Math.min(Math.max(ns, fromNs), toNs) - fromNs) / Math.max(1, toNs - fromNs)) * (width - LABEL);
  const names = [...streams.keys()];
  const legend = drawLegend(
    names.map((name, index) => ({ name, colour: streamColour(index) })),
    width,
  );
  const parts: string[] = [];
  let y = 0;
  for (const backend of busyNs.keys()) {
    const own = executions.filter((execution) => execution.backend === backend);
    const lanes = Math.max(1, ...own.map(({ slot }) => slot + 1));
    parts.push(text(0, y + 13, backend), element('rect', { x: LABEL, y, width: width - LABEL, height: lanes * LANE, fill: '#f4f5f7' }));
    for (const { job, slot, startNs, endNs } of own) {
      const colour = streamColour(names.indexOf(job.stream));
      const x = toX(startNs);
      const box = { x, y: y + 1 + slot * LANE, width: Math.max(1, toX(endNs) - x - 0.8), height: LANE - 2 };
      parts.push(element('rect', { ...box, fill: job.fresh ? colour : '#fff', stroke: colour }));
    }
    y += lanes * LANE + GAP;
  }
  for (let tick = 0; tick <= TICKS; tick += 1) {
    const ns = fromNs + ((toNs - fromNs) * tick) / TICKS;
    const anchor = tick === 0 ? 'start' : tick === TICKS ? 'end' : 'middle';
    parts.push(text(toX(ns), y + 10, `${Math.round((ns / NS_PER_S) * 1000) / 1000} s`, { 'text-anchor': anchor, fill: '#555' }));
  }
  return { content: legend.content + moved(0, legend.height + 8, parts.join('')), height: legend.height + 8 + y + AXIS };
}
