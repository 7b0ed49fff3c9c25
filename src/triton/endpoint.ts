/** Reads host:port. */

/** Whether the server is on this machine, so that it may share memory with us. */
export function isLoopback(endpoint: string): boolean {
  const host = endpoint.slice(0, endpoint.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
