/** Decisions for people: one line each in columns, why in words, and what differs. */
import type { DecisionLine } from './decision-line.js';
import type { Decided, ExplainedLine, Summary } from './run-script.js';

export function listing({ lines, summary }: Decided): string {
  const rows = [['ms', 'request', 'decision', 'what', 'why'], ...lines.map(rowOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const texts = rows.map(([at = '', ...rest]) =>
    [at.padStart(widths[0] ?? 0), ...rest.map((cell, index) => cell.padEnd(widths[index + 1] ?? 0))].join('  ').trimEnd(),
  );
  return `${[...texts, '', ...conclusion(summary)].join('\n')}\n`;
}

function rowOf({ line, words }: ExplainedLine): string[] {
  return [String(line.at_ms), line.id ?? '', line.action, whatOf(line), words];
}

function whatOf({ stream, variant, state, cause, ...line }: DecisionLine): string {
  switch (line.action) {
    case 'dispatch':
      return `${String(stream)} on ${String(line['backend'])}: ${String(variant)}`;
    case 'outcome':
      return `${String(state)}/${String(cause)}`;
    case 'veto':
    case 'wait':
      return `${String(stream)} on ${String(variant)}`;
    case 'violation':
      return String(stream);
    case 'wake':
      return `at ${String(line['wake_ms'])}`;
    case 'poll':
      return `${String(line['backend_model'])} every ${String(line['every_ms'])} ms`;
    case 'restart':
      return [line['backend'], line['backend_model'], `no. ${String(line['count'])}`].filter((part) => part !== undefined).join(' ');
    case 'level':
      return `${String(line['backend'])}: ${String(line['previous'])} -> ${String(line['level'])}`;
    case 'ignored':
      return String(line['event']);
    case 'error':
      return String(line['key'] ?? '');
    default:
      return [line['backend'], line['value']].filter((part) => part !== undefined).join(': ');
  }
}

function conclusion({ received, waiting, in_flight: inFlight, held, outcomes, expected, differences }: Summary): string[] {
  const ends = Object.entries(outcomes).map(([name, count]) => `${count} ${name}`);
  const open = [
    [waiting, 'waiting'],
    [inFlight, 'in flight'],
    [held, 'held'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const checks = expected === 0 ? 'nothing was expected' : `${expected - differences.length} of ${expected} expectations met`;
  return [`${received} requests: ${[...ends, ...open].join(', ') || 'none ended'}; ${checks}`];
}
