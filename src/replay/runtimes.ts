/** How long each call takes: drawn from the profile of its variant, the same for a frame whatever the contracts say. */
import type { ModelParameters } from '../config/schema.js';
import { FrameGenerators } from '../random/frame-generators.js';
import type { Pcg32 } from '../random/pcg32.js';
import { FIRST_RUNTIME_GENERATOR, runtimeDraw } from '../random/runtime.js';

const NS_PER_US = 1000;
const MASK_64 = (1n << 64n) - 1n;
const FNV_OFFSET = 0xcbf2_9ce4_8422_2325n;
const FNV_PRIME = 0x100_0000_01b3n;

export class StreamRuntimes {
  readonly #variants: readonly { readonly draw: (generator: Pcg32) => number; readonly generators: FrameGenerators }[];

  /** Other streams of a contract change nothing: the draws depend on the name of the stream alone. */
  constructor(seed: number, stream: string, { variants }: ModelParameters) {
    const streamSeed = BigInt(seed) ^ hashOf(stream);
    this.#variants = Object.values(variants).map(({ profile, preprocess_us: preprocess }, index) => {
      if (profile === undefined) throw new RangeError('a variant without a profile has no runtime');
      const draw = runtimeDraw({ p50Ns: profile.p50_us * NS_PER_US, p99Ns: Math.max(profile.p50_us, profile.p99_us) * NS_PER_US });
      return {
        draw: (generator) => draw(generator) + preprocess * NS_PER_US,
        generators: new FrameGenerators(streamSeed, FIRST_RUNTIME_GENERATOR + BigInt(index)),
      };
    });
  }

  /** @param message its number in the stream, from 0 @param variant its place among those of the model */
  draw(message: number, variant: number): number {
    const drawn = this.#variants[variant];
    if (drawn === undefined) throw new RangeError(`there is no variant ${variant}`);
    return drawn.draw(drawn.generators.of(message));
  }
}

/** FNV-1a. */
function hashOf(text: string): bigint {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * FNV_PRIME) & MASK_64;
  return hash;
}
