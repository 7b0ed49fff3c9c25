import { describe, expect, it } from 'vitest';
import { LogLimiter } from '../../src/ros/log-limiter.js';

function limiter(): { limiter: LogLimiter; advance: (ms: number) => void } {
  let nowMs = 0;
  return {
    limiter: new LogLimiter(() => nowMs),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

describe('LogLimiter', () => {
  it('says a line once, and after half a minute again with how many were left out', () => {
    const { limiter: lines, advance } = limiter();
    expect([lines.pass('a'), lines.pass('a'), lines.pass('a')]).toEqual([0, undefined, undefined]);
    advance(30_000);
    expect([lines.pass('a'), lines.pass('a')]).toEqual([2, undefined]);
  });

  it('keeps lines apart', () => {
    const { limiter: lines } = limiter();
    expect([lines.pass('a'), lines.pass('b'), lines.pass('a')]).toEqual([0, 0, undefined]);
  });

  it('forgets the line said longest ago when there are too many', () => {
    const { limiter: lines, advance } = limiter();
    lines.pass('first');
    for (let line = 0; line < 256; line += 1) {
      advance(1);
      lines.pass(`line ${line}`);
    }
    expect([lines.pass('line 255'), lines.pass('first')]).toEqual([undefined, 0]);
  });
});
