/** Contracts change while work waits and runs (rules.md 1): all of a change or nothing of it, and no request is lost by it. */
import type { StreamConfiguration } from './configuration.js';
import { CoreError } from './core-error.js';
import type { ContractChange } from './events.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { refuseFaults } from './topology.js';
import { type Micros, plus } from './units.js';
import { approvedBy } from './usable-variants.js';

/**
 * @param serving whether promises count now.
 * @throws {CoreError} unknown_stream, unknown_reference or contradiction; nothing has changed then.
 */
export function reconfigure(
  changes: readonly ContractChange[],
  streams: ReadonlyMap<string, StreamState>,
  serving: boolean,
  now: Micros,
): void {
  const accepted = changes.map(({ stream: name, contract }) => {
    const stream = streams.get(name);
    if (stream === undefined) throw new CoreError('unknown_stream', `a contract is given for stream "${name}", which is not configured`);
    const configuration: StreamConfiguration = { ...stream.configuration, contract };
    refuseFaults(configuration);
    approvedBy(contract, stream.model, `stream "${name}"`);
    return { stream, configuration };
  });
  for (const { stream, configuration } of accepted) {
    stream.adopt(configuration);
    if (serving) stream.consumer.serve(now);
    if (serving && stream.received > 0) stream.consumer.arrived(now);
    judgeAnew(stream);
  }
}

/** What waits and what runs keeps its identity and its place; deadline and freshness are those of the contract in force. */
function judgeAnew(stream: StreamState): void {
  for (let i = 0; i < stream.waiting.length; i += 1) limit(stream.waiting.at(i));
  for (const { request } of stream.model.backend.credits.leases) if (request.stream === stream) limit(request);
}

function limit(request: Request | undefined): void {
  if (request === undefined) return;
  const { stream, capture } = request;
  request.deadlineUs = plus(capture, stream.configuration.contract.deadlineUs);
  request.freshUntilUs = stream.consumer.usableUntilUs(capture);
}
