import { describe, expect, it } from 'vitest';
import { ConditionError, judge, parseCondition } from '../../src/replay/condition.js';

const report = {
  bag: 'x',
  streams: { front: { received: 10, window_uncovered_permille: null, causes: { newer_capture: 3 } } },
  compare: [{ streams: { front: { received: 0, longest_gap_ms: null, response_age_ms: { p50: null } } } }],
};
const judged = (text: string) => judge(parseCondition(text), report);
const held = (text: string) => {
  const judgement = judged(text);
  return judgement.verdict === 'holds' ? judgement.value : undefined;
};

describe('a condition', () => {
  it.each([
    ['streams.front.received>9', 10],
    ['streams.front.received > 10', undefined],
    ['streams.front.received>=10', 10],
    ['streams.front.received<11', 10],
    ['streams.front.received<=9.5', undefined],
    ['streams.front.received==10', 10],
    ['streams.front.received!=10', undefined],
    ['streams.front.causes.newer_capture>2', 3],
    ['compare.0.streams.front.received<1e1', 0],
  ])('%s', (text, value) => expect(held(text)).toBe(value));

  it('counts a cause that did not occur as 0', () => expect(held('streams.front.causes.stale_on_arrival==0')).toBe(0));

  it.each([
    ['streams.front.window_uncovered_permille>3', /its contract has no period_ms/],
    ['streams.front.window_uncovered_permille<=3', /too little came/],
    ['compare.0.streams.front.longest_gap_ms<100', /^no message came$/],
    ['compare.0.streams.front.response_age_ms.p50>=0', /^no message came$/],
  ])('%s has nothing to compare', (text, words) => {
    expect(judged(text)).toEqual({ verdict: 'nothing', text: expect.stringMatching(words) });
  });

  it.each([
    ['streams.front.received', /expected a path/],
    ['streams.front.received=>3', /expected a path/],
    ['streams.front.received>many', /expected a path/],
    ['streams.frnt.received>3', /no streams\.frnt; did you mean front\?/],
    ['streams.front.causes.newer_captur>0', /did you mean newer_capture\?/],
    ['streams.front.causes.predicted_stal>0', /did you mean predicted_stale\?/],
    ['streams.front>3', /is an object with received/],
    ['bag>3', /the string "x"/],
    ['streams.front.constructor>0', /no streams\.front\.constructor/],
  ])('%s is refused', (text, words) => {
    expect(() => held(text)).toThrow(ConditionError);
    expect(() => held(text)).toThrow(words);
  });
});
