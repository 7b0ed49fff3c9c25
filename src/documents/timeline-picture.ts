/** A decision script as a timeline: one lane a stream, an execution is a box. */
import type { Decided } from '../decide/run-script.js';
import type { Script } from '../decide/script.js';
import { streamColour } from '../simulator/plot/colours.js';
import { element, moved, picture, rounded, text } from '../simulator/plot/svg.js';
import { type ScriptTimeline, type ShownRequest, scriptTimeline } from './script-timeline.js';

const WIDTH = 760;
const LEFT = 80;
const RIGHT = 50;
const TOP = 10;
const LANE = 40;
const BOX = 18;
const MIDDLE = 20;
const LINE = 14;
const TICKS = 8;
const MAX_REMARKS = 6;
const GREY = '#667';
const PALE = '#e3e6ea';
const RED = '#c1121f';
/** Width of a letter at the size that names have in boxes. */
const LETTER = 5.6;

export function timelinePicture(title: string, script: Script, decided: Decided): string {
  const timeline = scriptTimeline(script, decided);
  const toX = scaleOf(timeline);
  const lanes = timeline.streams.map((stream, index) => moved(0, TOP + index * LANE, drawLane(timeline, stream, index, toX)));
  const below = TOP + timeline.streams.length * LANE;
  const levels = timeline.levels.length === 0 ? '' : moved(0, below, drawLevels(timeline, toX));
  const axisY = below + (levels === '' ? 0 : BOX + 6);
  const remarks = timeline.remarks.slice(0, MAX_REMARKS).map(({ atMs, words }) => `${atMs} ms  ${words}`);
  if (timeline.remarks.length > MAX_REMARKS) remarks.push(`… and ${timeline.remarks.length - MAX_REMARKS} more`);
  const remarksY = axisY + 36;
  const lines = remarks.map((words, index) => text(LEFT, remarksY + index * LINE, words, { fill: GREY }));
  const height = remarksY + remarks.length * LINE;
  return picture(WIDTH, height, title, [...lanes, levels, moved(0, axisY, drawAxis(timeline, toX)), ...lines].join('\n'));
}

type ToX = (ms: number) => number;

function scaleOf({ fromMs, toMs }: ScriptTimeline): ToX {
  return (ms) => LEFT + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * (WIDTH - LEFT - RIGHT);
}

function drawLane(timeline: ScriptTimeline, stream: string, index: number, toX: ToX): string {
  const own = timeline.requests.filter((request) => request.stream === stream);
  const broken = timeline.violations.filter((violation) => violation.stream === stream);
  return [
    text(0, MIDDLE + 4, stream, { 'font-weight': 'bold', fill: streamColour(index) }),
    element('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: MIDDLE, y2: MIDDLE, stroke: PALE }),
    ...own.map((request) => drawRequest(request, streamColour(index), timeline.choosing.has(stream), toX)),
    ...broken.map(({ atMs }) => text(toX(atMs), MIDDLE - 8, '!', { 'text-anchor': 'middle', 'font-weight': 'bold', fill: RED })),
  ].join('');
}

function drawRequest(request: ShownRequest, colour: string, namesVariants: boolean, toX: ToX): string {
  const { id, arrivalMs, runs, putOffMs, endMs, state, cause, late } = request;
  const x = toX(arrivalMs);
  const waitsUntil = toX(runs[0]?.fromMs ?? endMs);
  const fresh = state === 'delivered';
  const parts = [
    element('line', { x1: x, x2: x, y1: MIDDLE - 6, y2: MIDDLE + 15, stroke: colour, 'stroke-width': 1.5 }),
    element('line', { x1: x, x2: waitsUntil, y1: MIDDLE, y2: MIDDLE, stroke: colour, 'stroke-width': 1.5, 'stroke-dasharray': '2 2' }),
    text(x + 2, MIDDLE + 18, id, { 'font-size': 9, fill: GREY }),
  ];
  for (const { fromMs, toMs, variant } of runs) {
    const [left, width] = [toX(fromMs), Math.max(2, toX(toMs) - toX(fromMs) - 1)];
    parts.push(element('rect', { x: left, y: MIDDLE - BOX / 2, width, height: BOX, fill: fresh ? colour : '#fff', stroke: colour }));
    if (id.length * LETTER < width)
      parts.push(text(left + width / 2, MIDDLE + 4, id, { 'text-anchor': 'middle', 'font-size': 10, fill: fresh ? '#fff' : colour }));
    if (namesVariants) parts.push(label(left, variant, colour, 'start'));
  }
  for (const { sentMs, fromMs } of runs) if (sentMs < fromMs) parts.push(drawSentAhead(toX(sentMs)));
  for (const atMs of putOffMs) {
    const cx = toX(atMs);
    const d = `M${rounded(cx - 5)} ${MIDDLE}l5 -5l5 5l-5 5Z`;
    parts.push(element('path', { d, fill: '#fff', stroke: colour, 'stroke-width': 1.5 }));
  }
  if (late && fresh) parts.push(label(toX(endMs), 'after its deadline', RED, 'end'));
  if (state !== undefined && !fresh) parts.push(drawEnd(toX(endMs), runs.length === 0, cause ?? ''));
  return parts.join('');
}

/** A few words above the line. */
function label(x: number, words: string, fill: string, anchor: 'start' | 'middle' | 'end'): string {
  return text(x, MIDDLE - 11, words, { 'text-anchor': anchor, 'font-size': 9, fill });
}

function drawSentAhead(x: number): string {
  return `${element('path', { d: `M${rounded(x)} ${MIDDLE - 9}v-8l6 4Z`, fill: GREY })}${text(x + 8, MIDDLE - 11, 'sent', { 'font-size': 9, fill: GREY })}`;
}

function drawEnd(x: number, withoutRun: boolean, cause: string): string {
  const cross = element('path', { d: `M${rounded(x - 4)} ${MIDDLE - 4}l8 8m-8 0l8 -8`, stroke: RED, 'stroke-width': 2 });
  return `${withoutRun ? cross : ''}${label(x, cause, RED, 'middle')}`;
}

/** The level of overload below the lanes, from one change to the next. */
function drawLevels({ levels, fromMs, toMs }: ScriptTimeline, toX: ToX): string {
  const changes = [{ atMs: fromMs, level: 0 }, ...levels];
  const boxes = changes.map(({ atMs, level }, index) => {
    const [left, right] = [toX(atMs), toX(changes[index + 1]?.atMs ?? toMs)];
    const box = element('rect', {
      x: left,
      y: 0,
      width: right - left,
      height: BOX,
      fill: RED,
      'fill-opacity': level * 0.2,
      stroke: '#fff',
    });
    return `${box}${text((left + right) / 2, 13, String(level), { 'text-anchor': 'middle', 'font-size': 10 })}`;
  });
  return [text(0, 13, 'level', { fill: GREY }), ...boxes].join('');
}

function drawAxis({ fromMs, toMs }: ScriptTimeline, toX: ToX): string {
  const rough = Math.max(1, toMs - fromMs) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(fromMs / step);
  const ticks = Array.from({ length: Math.floor(toMs / step) - first + 1 }, (_, index) => Math.round((first + index) * step * 1000) / 1000);
  return ticks
    .flatMap((ms) => [
      element('line', { x1: toX(ms), x2: toX(ms), y1: 0, y2: 4, stroke: GREY }),
      text(toX(ms), 15, `${ms} ms`, { 'text-anchor': 'middle', 'font-size': 9, fill: GREY }),
    ])
    .join('');
}
