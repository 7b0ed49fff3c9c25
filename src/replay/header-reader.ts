/** Reads the header of a serialised message, and nothing else of it. */
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import type { Header } from '../governor/ports.js';
import {
  collectDefinitions,
  type DefinitionTexts,
  installedTexts,
  installPrefixes,
  type MessageDefinition,
} from '../ros/interface-definitions.js';
import { headerOf } from '../ros/message-header.js';
import type { Channel } from './bag/bag-file.js';
import type { MessageBlock } from './bag/message-block.js';
import { bundledTexts } from './definitions.js';

/**
 * The header of a message of one type; of a type without one, its reception, as the live node has it.
 * @throws {Error} when the message is not what its type promises.
 */
export type HeaderReader = (block: MessageBlock, index: number) => Header;

/**
 * @throws {Error} when messages are serialised in an unknown way, or nobody has the definition of their type: neither the bag, nor this
 * package, nor what is installed.
 */
export function createHeaderReader(channel: Channel): HeaderReader {
  const definitions = definitionsOf(channel);
  const fields = definitions[0]?.definitions.filter(({ isConstant }) => isConstant !== true) ?? [];
  const place = fields.findIndex(({ name, type }) => name === 'header' && /^std_msgs\/(msg\/)?Header$/.test(type));
  if (place === -1) return readReception;
  if (place === 0) return leadingHeaderReader();
  const read = messageReader(definitions);
  return (block, index) => headerOf(read(block, index), block.logNs(index));
}

/** What the live node makes the header of a message without one. */
export const readReception: HeaderReader = (block, index) => headerOf(undefined, block.logNs(index));

/** Reads whole messages of one type. @throws {Error} as `createHeaderReader` */
export function createMessageReader(channel: Channel): (block: MessageBlock, index: number) => unknown {
  return messageReader(definitionsOf(channel));
}

function messageReader(definitions: readonly MessageDefinition[]): (block: MessageBlock, index: number) => unknown {
  const reader = new MessageReader([...definitions]);
  return (block, index) => reader.readMessage(block.buffer(index).subarray(block.start(index), block.end(index)));
}

/** The type itself first. */
function definitionsOf({ type, encoding, definition }: Channel): readonly MessageDefinition[] {
  if (encoding !== 'cdr') throw new Error(`they are serialised as '${encoding}', which is unknown; known is cdr`);
  const own = definition?.encoding === 'ros2msg' ? parsed(definition.text) : undefined;
  if (own !== undefined) return own;
  const installed = installedTexts(installPrefixes());
  const texts: DefinitionTexts = (packageName, name) => bundledTexts(packageName, name) ?? installed(packageName, name);
  return collectDefinitions(type, texts).map((found) => found.definition);
}

/** @returns undefined for a text that is damaged: another has the definition, too. */
function parsed(text: string): readonly MessageDefinition[] | undefined {
  try {
    return parse(text, { ros2: true });
  } catch {
    return undefined;
  }
}

const ENCAPSULATION_BYTES = 4;
/** Seconds and nanoseconds. */
const STAMP_BYTES = 8;
const LENGTH_BYTES = 4;
const NAME_OFFSET = ENCAPSULATION_BYTES + STAMP_BYTES + LENGTH_BYTES;
/** Plain CDR, of version 1 and 2; the lowest bit says little endian. */
const PLAIN: readonly number[] = [0x00, 0x01, 0x06, 0x07];

/** A header in front is a stamp and a name, which is mostly that of the message before. */
function leadingHeaderReader(): HeaderReader {
  let knownBytes = new Uint8Array(0);
  let knownName = '';
  return (block, index) => {
    const buffer = block.buffer(index);
    const start = block.start(index);
    const end = block.end(index);
    const littleEndian = checkEncapsulation(buffer, start, end);
    const nameAt = start + NAME_OFFSET;
    const length = uint32At(buffer, nameAt - LENGTH_BYTES, littleEndian);
    if (nameAt + length > end) throw new Error('the header is cut off');
    if (!isAt(buffer, nameAt, knownBytes, length)) {
      knownBytes = buffer.slice(nameAt, nameAt + length);
      knownName = new TextDecoder().decode(knownBytes.subarray(0, Math.max(0, length - 1))); // a zero ends it
    }
    const sec = uint32At(buffer, start + ENCAPSULATION_BYTES, littleEndian) | 0;
    return { stamp: { sec, nanosec: uint32At(buffer, start + ENCAPSULATION_BYTES + 4, littleEndian) }, frameId: knownName };
  };
}

/** @returns whether it is little endian. */
function checkEncapsulation(buffer: Uint8Array, start: number, end: number): boolean {
  if (end - start < NAME_OFFSET) throw new Error(`${end - start} bytes are too few for a header`);
  const kind = buffer[start + 1] ?? 0;
  if (buffer[start] !== 0 || !PLAIN.includes(kind)) throw new Error(`its serialisation is of the unknown kind ${kind}`);
  return (kind & 1) === 1;
}

function isAt(buffer: Uint8Array, at: number, bytes: Uint8Array, length: number): boolean {
  if (bytes.byteLength !== length) return false;
  for (let index = 0; index < length; index += 1) if (buffer[at + index] !== bytes[index]) return false;
  return true;
}

function uint32At(buffer: Uint8Array, at: number, littleEndian: boolean): number {
  const a = buffer[at] ?? 0;
  const b = buffer[at + 1] ?? 0;
  const c = buffer[at + 2] ?? 0;
  const d = buffer[at + 3] ?? 0;
  return (littleEndian ? a | (b << 8) | (c << 16) | (d << 24) : d | (c << 8) | (b << 16) | (a << 24)) >>> 0;
}
