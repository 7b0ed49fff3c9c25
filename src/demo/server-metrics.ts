/** What a server says on its metrics page about the requests of all its models. The reference server uses Triton's names. */

export interface ServerLoad {
  /** Requests that wait for an instance. */
  readonly pending: number;
  /** Requests that have ended, well or not. */
  readonly ended: number;
}

const TIMEOUT_MS = 2000;

/** @throws {Error} when the page cannot be had. */
export async function readServerLoad(port: number): Promise<ServerLoad> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return parseServerLoad(await response.text());
}

/** @throws {Error} unless it is such a page. */
export function parseServerLoad(page: string): ServerLoad {
  const sum = (name: string): number => {
    const lines = page.split('\n').filter((line) => line.startsWith(`${name}{`));
    const total = lines.reduce((value, line) => value + Number(line.slice(line.lastIndexOf(' '))), 0);
    if (lines.length === 0 || !Number.isFinite(total)) throw new Error(`no metric ${name}`);
    return total;
  };
  return {
    pending: sum('nv_inference_pending_request_count'),
    ended: sum('nv_inference_request_success') + sum('nv_inference_request_failure'),
  };
}
