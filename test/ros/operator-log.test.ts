import { afterEach, expect, it, vi } from 'vitest';
import { asked, OperatorLog } from '../../src/ros/operator-log.js';

function ros(): { lines: string[]; logger: { info(text: string): void; warn(text: string): void; error(text: string): void } } {
  const lines: string[] = [];
  const say = (level: string) => (text: string) => {
    lines.push(`${level} ${text}`);
  };
  return { lines, logger: { info: say('info'), warn: say('warn'), error: say('error') } };
}

function captureStderr(): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
  return written;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('passes what an operator should see to ROS, facts and error in the text', () => {
  const { lines, logger } = ros();
  const log = new OperatorLog('info');
  log.attach(logger);
  log.logger.info({ backend: 'gpu', model: 'centerface' }, 'model is ready');
  log.logger.warn({ stream: 'front', cause: 'inactive' }, 'messages arrive');
  log.logger.error({ err: new Error('port 9464 is taken'), transition: 'configure' }, 'the transition failed');
  expect(lines).toEqual([
    'info model is ready (backend=gpu, model=centerface)',
    'warn messages arrive (stream=front, cause=inactive)',
    'error the transition failed: port 9464 is taken (transition=configure)',
  ]);
});

it('says a line once for each cause and stream', () => {
  const { lines, logger } = ros();
  const log = new OperatorLog('info');
  log.attach(logger);
  for (const stream of ['front', 'front', 'rear']) log.logger.warn({ stream }, 'nothing comes');
  expect(lines).toEqual(['warn nothing comes (stream=front)', 'warn nothing comes (stream=rear)']);
});

it('says what an operator did each time, however often', () => {
  const { lines, logger } = ros();
  const log = new OperatorLog('info');
  log.attach(logger);
  for (const value of [80, 90, 80]) asked(log.logger).info({ parameter: 'max_age_ms', value }, 'contract changed');
  expect(lines).toEqual([80, 90, 80].map((value) => `info contract changed (parameter=max_age_ms, value=${value})`));
});

it('writes to standard error while there is no node, and what is below info always', () => {
  const written = captureStderr();
  const { lines, logger } = ros();
  const log = new OperatorLog('debug');
  log.logger.info('before');
  log.attach(logger);
  log.logger.debug('detail');
  log.detach();
  log.logger.error('after');
  expect(written.map((line) => JSON.parse(line).msg)).toEqual(['before', 'detail', 'after']);
  expect(lines).toEqual([]);
});

it('leaves out what is below its level', () => {
  const { lines, logger } = ros();
  const log = new OperatorLog('warn');
  log.attach(logger);
  log.logger.info('unimportant');
  log.logger.fatal('the end');
  expect(lines).toEqual(['error the end']);
});
