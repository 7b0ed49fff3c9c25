import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { RclNode, RclServiceResponse } from '../../src/ros/binding.js';
import { serveExplanations } from '../../src/ros/explain-service.js';

function asking(explain: (subject: string) => Promise<string>) {
  let serve: (request: unknown, response: RclServiceResponse) => void = () => {};
  const offered: string[] = [];
  const node: Pick<RclNode, 'createService'> = {
    createService: (type, name, _options, callback) => {
      offered.push(`${name}: ${type}`);
      serve = callback;
    },
  };
  serveExplanations(node as RclNode, pino({ level: 'silent' }), explain);
  const ask = (request: unknown) => new Promise((resolve) => serve(request, { send: resolve }));
  return { ask, offered };
}

test('answers with the explanation of the subject', async () => {
  const { ask, offered } = asking(async (subject) => `about ${subject}`);
  expect(offered).toEqual(['~/explain: vigilant_governor/srv/Explain']);
  expect(await ask({ subject: ' front\n' })).toEqual({ text: 'about front' });
});

test('answers, too, when there is none', async () => {
  const { ask } = asking(() => Promise.reject(new Error('out of words')));
  expect(await ask({ subject: '1' })).toEqual({ text: 'it cannot be explained: Error: out of words' });
  expect(await ask({})).toEqual({ text: 'expected a request id, or the name of a stream' });
});
