import { describe, expect, it } from 'vitest';
import { LogTail } from '../../src/demo/log-tail.js';

describe('LogTail', () => {
  it('puts lines together that came in pieces', () => {
    const log = new LogTail();
    expect(log.add('one\ntw')).toEqual(['one']);
    expect(log.add('o\nthree')).toEqual(['two']);
    expect(log.text()).toBe('one\ntwo\nthree');
    expect(log.text(2)).toBe('two\nthree');
  });

  it('keeps so much and no more', () => {
    const log = new LogTail();
    for (let line = 0; line < 1000; line += 1) log.add(`line ${line}\n`);
    for (let part = 0; part < 100; part += 1) log.add('x'.repeat(1000));
    const lines = log.text().split('\n');
    expect(lines.length).toBeLessThanOrEqual(201);
    expect(lines.at(-2)).toBe('line 999');
    expect(lines.at(-1)?.length).toBeLessThanOrEqual(4000);
  });
});
