/** The paths of the control port: GET /metrics; POST, GET, DELETE /faults; DELETE /faults/ID. */
import type { MetricsPage } from '../telemetry/metrics-server.js';
import type { ControlAnswer, ControlRequest } from './control-server.js';
import type { Fault, Happening } from './fault.js';
import { FaultRequestError, parseFault } from './fault-request.js';
import { type Faults, type StandingEntry, TooManyFaultsError } from './faults.js';
import { statisticsOf } from './model-statistics.js';
import type { Models } from './models.js';

export interface Controlled {
  readonly metrics: MetricsPage;
  readonly faults: Faults;
  models(): Models;
  /** Resolves when it has happened; a restart, when the server is there again. */
  happen(happening: Happening): Promise<void>;
}

export async function control(server: Controlled, { method, path, json }: ControlRequest): Promise<ControlAnswer> {
  if (method === 'GET' && path === '/metrics') {
    return { status: 200, contentType: server.metrics.contentType, body: await server.metrics.page() };
  }
  if (path === '/faults') {
    if (method === 'GET') return answer(200, { faults: server.faults.list().map(shown) });
    if (method === 'DELETE') return answer(200, { cleared: server.faults.clearAll() });
    if (method === 'POST') return command(server, json);
  }
  const [, id] = /^\/faults\/(\d{1,15})$/.exec(path) ?? [];
  if (method === 'DELETE' && id !== undefined) {
    return server.faults.clear(Number(id)) ? answer(200, { cleared: 1 }) : refusal(404, `fault ${id} does not stand`);
  }
  return refusal(404, 'there are GET /metrics, POST, GET and DELETE /faults, DELETE /faults/ID');
}

async function command(server: Controlled, json: string | undefined): Promise<ControlAnswer> {
  if (json === undefined) return refusal(415, 'a command is JSON, with the header content-type: application/json');
  try {
    const models = server.models().list();
    const names = models.map(({ description }) => description.name);
    const fault = parseFault(json, names);
    if (stands(fault)) {
      const statistics = new Map(models.flatMap(({ runner }) => (runner === undefined ? [] : [[runner.model.name, statisticsOf(runner)]])));
      return answer(201, shown(server.faults.add(fault, statistics)));
    }
    await server.happen(fault);
    return answer(200, fault);
  } catch (error) {
    if (error instanceof FaultRequestError) return refusal(400, error.message);
    if (error instanceof TooManyFaultsError) return refusal(429, error.message);
    throw error;
  }
}

const HAPPENINGS: ReadonlySet<string> = new Set<Happening['fault']>(['restart', 'crash', 'reset', 'go_away']);

function stands(fault: Fault | Happening): fault is Fault {
  return !HAPPENINGS.has(fault.fault);
}

function shown({ id, fault, hits }: StandingEntry) {
  return { id, ...fault, hits };
}

function refusal(status: number, error: string): ControlAnswer {
  return answer(status, { error });
}

function answer(status: number, body: unknown): ControlAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}
