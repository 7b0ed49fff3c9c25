/** How explanations speak of requests and times. */
import type { RequestId } from '../core/units.js';

export function nameOf(request: RequestId): string {
  return `request ${request}`;
}

export function inMs(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}
