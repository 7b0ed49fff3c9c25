/** Waits for a time in milliseconds, or for what resolves. @throws the reason of the signal, or what the promise rejects with. */
export function pause(until: number | Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      end();
      reject(signal.reason);
    };
    const end = () => {
      if (timer !== undefined) clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    const done = () => {
      end();
      resolve();
    };
    const timer = typeof until === 'number' ? setTimeout(done, until) : undefined;
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    if (typeof until !== 'number') {
      until.then(done, (error: unknown) => {
        end();
        reject(error);
      });
    }
  });
}
