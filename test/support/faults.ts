/** Commands to a reference server. */

export interface CommandAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** @param port of its metrics page @param command the body, when there is one */
export async function control(port: number, method: 'GET' | 'POST' | 'DELETE', path: string, command?: unknown): Promise<CommandAnswer> {
  const headers = { 'content-type': 'application/json' };
  const body = typeof command === 'string' ? command : JSON.stringify(command);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(command === undefined ? {} : { headers, body }) });
  return { status: response.status, body: (await response.json()) as CommandAnswer['body'] };
}

/** @returns the number of a fault that stands. @throws {Error} with the answer when it is refused. */
export async function command(port: number, fault: Readonly<Record<string, unknown>>): Promise<number | undefined> {
  const { status, body } = await control(port, 'POST', '/faults', fault);
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return typeof body['id'] === 'number' ? body['id'] : undefined;
}
