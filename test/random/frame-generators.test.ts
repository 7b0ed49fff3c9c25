import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameGenerators } from '../../src/random/frame-generators.js';
import { Pcg32 } from '../../src/random/pcg32.js';

const MASK_64 = (1n << 64n) - 1n;

/** The rule in whole numbers: seed xor (frame + 1) turned left by 17 of 64 bits. */
function generatorOf(seed: bigint, number: bigint, frame: number): Pcg32 {
  const value = BigInt(frame + 1);
  return new Pcg32((seed ^ ((value << 17n) | (value >> 47n))) & MASK_64, number);
}

test('every frame has a generator of its own, whatever was drawn before', () => {
  const frames = fc.array(fc.oneof(fc.nat({ max: 100_000 }), fc.integer({ min: 0, max: 2 ** 47 - 2 })), { minLength: 1 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: MASK_64 }), fc.bigInt({ min: 0n, max: 20n }), frames, (seed, number, order) => {
      const generators = new FrameGenerators(seed, number);
      for (const frame of order) {
        const [generator, expected] = [generators.of(frame), generatorOf(seed, number, frame)];
        for (let draw = 0; draw < 3; draw += 1) expect(generator.next()).toBe(expected.next());
      }
    }),
  );
});
