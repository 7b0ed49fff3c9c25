/** The header of a received message. */
import type { Header } from '../governor/ports.js';
import { timeMessage } from './message-fields.js';
import { fieldOf } from './untyped.js';

/**
 * The message's own header, untouched. A type without one gets the time of its reception, so that consumers can tell results apart.
 * A field that is not what its type promises reads as empty: a zero stamp then ends as invalid, as it should.
 */
export function headerOf(message: unknown, receivedNs: bigint): Header {
  const header = fieldOf(message, 'header');
  if (header === undefined) return { stamp: timeMessage(receivedNs), frameId: '' };
  const stamp = fieldOf(header, 'stamp');
  const frameId = fieldOf(header, 'frame_id');
  return {
    stamp: { sec: wholeOf(fieldOf(stamp, 'sec')), nanosec: wholeOf(fieldOf(stamp, 'nanosec')) },
    frameId: typeof frameId === 'string' ? frameId : '',
  };
}

function wholeOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}
