/** What is declared of a model that generates token by token, so that its work can be cut into quanta (rules.md 12). */
import { type Micros, micros } from '../units.js';

/** arrival: until the next frame of a higher class is expected · latest_start: until that frame has to start. */
export const FILL_UNTIL = ['arrival', 'latest_start'] as const;
export type FillUntil = (typeof FILL_UNTIL)[number];

export interface Cooperative {
  /** What every call costs whatever it generates, measured: without it no call would ever be too long for a gap. */
  readonly baseCostUs: Micros;
  /** Added for each token of the context: of the prompt, and of what was generated before. */
  readonly prefillPerTokenUs: number;
  readonly tokensPerSecond: number;
  /** A quantum has at least so many, where so many are left. */
  readonly minTokens: number;
  /** A request generates at most so many, whatever its client allows. */
  readonly maxTotalTokens: number;
  /** How long a quantum may last. */
  readonly fillUntil: FillUntil;
}

const US_PER_S = 1_000_000;
/** What rounding of doubles may do to a whole number. */
const SLIP = 1e-6;

/** What a call takes: affine in its tokens, so that a gap can be too short for any. @param context tokens that it has to read first. */
export function costUs({ baseCostUs, prefillPerTokenUs, tokensPerSecond }: Cooperative, tokens: number, context: number): Micros {
  const generatingUs = (tokens * US_PER_S) / tokensPerSecond;
  return micros(baseCostUs + Math.ceil(prefillPerTokenUs * context + generatingUs - SLIP));
}

export interface CooperativeFault {
  /** Below `cooperative`; undefined for the group itself. */
  readonly key: string | undefined;
  /** What is wrong and what would be right. */
  readonly text: string;
}

/** What the declaration may not say. Keys are those of the parameters. */
export function* cooperativeFaults(
  { tokensPerSecond, minTokens, maxTotalTokens }: Cooperative,
  { variants, stateful }: { readonly variants: number; readonly stateful: boolean },
): Generator<CooperativeFault> {
  if (!(tokensPerSecond > 0))
    yield { key: 'tokens_per_second', text: `${tokensPerSecond} tokens/s generate nothing; expected more than 0` };
  if (minTokens > maxTotalTokens) {
    yield { key: 'min_tokens', text: `is above max_total_tokens, which is ${maxTotalTokens}; expected at most that` };
  }
  if (variants > 1)
    yield { key: undefined, text: `tells the cost of one variant, and the model has ${variants}; give each a model of its own` };
  if (stateful)
    yield { key: undefined, text: 'repeats the prompt in every call, which a stateful model would hear twice; remove one of the two' };
}
