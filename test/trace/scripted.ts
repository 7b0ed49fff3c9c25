/** Decision scripts as traces: what happens around a request can be laid down to the instant. */
import { ConfigurationError } from '../../src/config/problem.js';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { parseScript } from '../../src/decide/script-file.js';
import { servedModels, Timeline } from '../../src/decide/timeline.js';
import type { Decided } from '../../src/trace/trace-reader.js';
import { headLine, TraceWriter } from '../../src/trace/trace-writer.js';

export interface Scripted {
  readonly configuration: CoreConfiguration;
  readonly decided: readonly Decided[];
}

/** @returns undefined where the script expects its configuration to be refused. */
export function scripted(text: string, name = 'script'): Scripted | undefined {
  const { configuration, lines } = parseScript(text, name);
  if (configuration instanceof ConfigurationError) return undefined;
  const core = new DecisionCore(configuration);
  const timeline = new Timeline(lines, servedModels(configuration));
  const decided: Decided[] = [];
  for (let step = timeline.next(); step !== undefined; step = timeline.next()) {
    const at = step.at;
    const event = asTold(step.event);
    const actions = core.handle(event, at);
    timeline.observe(actions);
    decided.push({ at, event, actions });
  }
  return { configuration, decided };
}

/** The lines of its trace. */
export function linesOf({ configuration, decided }: Scripted): string[] {
  const lines = [headLine(configuration, 0)];
  const writer = new TraceWriter({ write: (line) => lines.push(line) });
  for (const { event, at, actions } of decided) writer.record(event, at, actions);
  return lines;
}

/** Without what a script notes of a model beside its names, which no node hands in. */
function asTold(event: CoreEvent): CoreEvent {
  if (event.type === 'readiness') return { type: event.type, backend: event.backend, backendModel: event.backendModel, ready: event.ready };
  if (event.type !== 'counter') return event;
  const { type, backend, backendModel, completed, polledUs } = event;
  return { type, backend, backendModel, completed, polledUs };
}
