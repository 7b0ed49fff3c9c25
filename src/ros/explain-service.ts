/** `~/explain`: why a frame of the running node ended as it did. */
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RclNode } from './binding.js';

const requestSchema = z.looseObject({ subject: z.string() });

/** @param explain never rejects where the subject means nothing: it says so. */
export function serveExplanations(node: RclNode, log: Logger, explain: (subject: string) => Promise<string>): void {
  node.createService('vigilant_governor/srv/Explain', '~/explain', {}, (request, response) => {
    const answer = (text: string): void => response.send({ text });
    const parsed = requestSchema.safeParse(request);
    if (!parsed.success) return answer('expected a request id, or the name of a stream');
    explain(parsed.data.subject.trim())
      .then(answer)
      .catch((error: unknown) => {
        log.warn({ err: error, subject: parsed.data.subject }, 'could not explain');
        answer(`it cannot be explained: ${String(error)}`);
      });
  });
}
