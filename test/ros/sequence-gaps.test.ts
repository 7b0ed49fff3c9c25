import { describe, expect, it } from 'vitest';
import { SequenceGaps } from '../../src/ros/sequence-gaps.js';

function noteAll(gaps: SequenceGaps, publisher: string, sequences: readonly bigint[]): number[] {
  return sequences.map((sequence) => gaps.note(publisher, sequence));
}

describe('SequenceGaps', () => {
  it('counts what is missing between two messages of a publisher', () => {
    expect(noteAll(new SequenceGaps(), 'a', [7n, 8n, 11n, 12n])).toEqual([0, 0, 2, 0]);
  });

  it('takes the first message of a publisher as the beginning, however high its number', () => {
    const gaps = new SequenceGaps();
    expect(noteAll(gaps, 'a', [1n, 2n])).toEqual([0, 0]);
    expect(noteAll(gaps, 'b', [900n, 902n])).toEqual([0, 1]);
  });

  it('keeps publishers on one topic apart', () => {
    const gaps = new SequenceGaps();
    gaps.note('a', 1n);
    gaps.note('b', 50n);
    expect([gaps.note('a', 3n), gaps.note('b', 51n), gaps.note('a', 4n)]).toEqual([1, 0, 0]);
  });

  it('counts nothing for duplicates and late messages, and keeps its mark', () => {
    expect(noteAll(new SequenceGaps(), 'a', [10n, 10n, 12n, 11n, 13n])).toEqual([0, 0, 1, 0, 0]);
  });

  it('begins anew when a publisher restarts or its number wraps', () => {
    expect(noteAll(new SequenceGaps(), 'a', [5000n, 1n, 2n, 4n])).toEqual([0, 0, 0, 1]);
    expect(noteAll(new SequenceGaps(), 'a', [2n ** 64n - 2n, 0n, 1n])).toEqual([0, 0, 0]);
  });

  it('ignores the number that stands for no number', () => {
    const none = 2n ** 64n - 1n;
    expect(noteAll(new SequenceGaps(), 'a', [none, none, 5n, none, 7n])).toEqual([0, 0, 0, 0, 1]);
  });

  it('forgets the publisher that was silent for longest when there are too many', () => {
    const gaps = new SequenceGaps();
    for (let publisher = 0; publisher < 64; publisher += 1) gaps.note(`p${publisher}`, 1n);
    gaps.note('p0', 2n); // p1 is the silent one now
    gaps.note('new', 1n);
    expect([gaps.note('p0', 4n), gaps.note('p2', 3n), gaps.note('p1', 9n)]).toEqual([1, 1, 0]);
  });
});
