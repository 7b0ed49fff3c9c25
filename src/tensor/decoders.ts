/** The known decoders, by the name used in models.<name>.output.decoder. */
import type { OutputParameters } from '../config/schema.js';
import { centerface } from './centerface.js';
import type { Decoder } from './decoder.js';

const DECODERS: Readonly<Record<Exclude<OutputParameters['decoder'], 'none'>, Decoder>> = { centerface };

/** undefined: outputs are published as they are. */
export function decoderOf({ decoder }: OutputParameters): Decoder | undefined {
  return decoder === 'none' ? undefined : DECODERS[decoder];
}
