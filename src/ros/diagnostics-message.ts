/** diagnostic_msgs/msg/DiagnosticArray: one status a stream and a backend. */
import type { DiagnosticStatus } from '../telemetry/diagnostics.js';
import { type HeaderMessage, nowHeader } from './message-fields.js';

interface DiagnosticStatusMessage {
  readonly level: number;
  readonly name: string;
  readonly message: string;
  readonly hardware_id: string;
  readonly values: readonly { readonly key: string; readonly value: string }[];
}

export interface DiagnosticsMessage {
  readonly header: HeaderMessage;
  readonly status: readonly DiagnosticStatusMessage[];
}

export function diagnosticsMessage(statuses: readonly DiagnosticStatus[], rosNowNs: bigint): DiagnosticsMessage {
  return { header: nowHeader(rosNowNs), status: statuses.map(diagnosticStatusMessage) };
}

function diagnosticStatusMessage(status: DiagnosticStatus): DiagnosticStatusMessage {
  return {
    level: status.level,
    name: status.name,
    message: status.message,
    hardware_id: '',
    values: status.values.map(([key, value]) => ({ key, value })),
  };
}
