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
  RosInterfaceError,
} from '../ros/interface-definitions.js';
import { headerOf } from '../ros/message-header.js';
import type { Channel } from './bag/bag-file.js';
import { bundledTexts } from './definitions.js';

/**
 * The header of a message of one type; of a type without one, its reception, as the live node has it.
 * @throws {Error} when the message is not what its type promises.
 */
export type HeaderReader = (data: Uint8Array, receivedNs: bigint) => Header;

/** @throws {RosInterfaceError} when nobody has the definition of the type: neither the bag, nor this package, nor what is installed. */
export function createHeaderReader(channel: Channel): HeaderReader {
  const definitions = definitionsOf(channel);
  const fields = definitions[0]?.definitions.filter(({ isConstant }) => isConstant !== true) ?? [];
  const place = fields.findIndex(({ name, type }) => name === 'header' && /^std_msgs\/(msg\/)?Header$/.test(type));
  if (place === -1) return (_data, receivedNs) => headerOf(undefined, receivedNs);
  if (place === 0) return leadingHeaderReader();
  const reader = new MessageReader([...definitions]);
  return (data, receivedNs) => headerOf(reader.readMessage(data), receivedNs);
}

/** The type itself first. */
function definitionsOf({ type, definition }: Channel): readonly MessageDefinition[] {
  if (definition?.encoding === 'ros2msg') return parse(definition.text, { ros2: true });
  const installed = installedTexts(installPrefixes());
  const texts: DefinitionTexts = (packageName, name) => bundledTexts(packageName, name) ?? installed(packageName, name);
  return collectDefinitions(type, texts).map((found) => found.definition);
}

const ENCAPSULATION_BYTES = 4;
const STAMP_BYTES = 8;
/** Plain CDR, of version 1 and 2; the lowest bit says little endian. */
const PLAIN: readonly number[] = [0x00, 0x01, 0x06, 0x07];

/** A header in front is 12 bytes and a name, which is mostly that of the message before. */
function leadingHeaderReader(): HeaderReader {
  let knownBytes: Uint8Array = new Uint8Array(0);
  let knownName = '';
  return (data) => {
    const { view, littleEndian } = open(data);
    const nameAt = ENCAPSULATION_BYTES + STAMP_BYTES + 4;
    const length = view.getUint32(nameAt - 4, littleEndian);
    if (nameAt + length > data.byteLength) throw new Error('the header is cut off');
    const bytes = data.subarray(nameAt, nameAt + Math.max(0, length - 1)); // a zero ends it
    if (Buffer.compare(bytes, knownBytes) !== 0) {
      knownBytes = bytes.slice();
      knownName = new TextDecoder().decode(bytes);
    }
    const sec = view.getInt32(ENCAPSULATION_BYTES, littleEndian);
    return { stamp: { sec, nanosec: view.getUint32(ENCAPSULATION_BYTES + 4, littleEndian) }, frameId: knownName };
  };
}

function open(data: Uint8Array): { view: DataView; littleEndian: boolean } {
  if (data.byteLength < ENCAPSULATION_BYTES + STAMP_BYTES + 4) throw new Error(`${data.byteLength} bytes are too few for a header`);
  const kind = data[1] ?? 0;
  if (data[0] !== 0 || !PLAIN.includes(kind)) throw new Error(`its serialisation is of the unknown kind ${kind}`);
  return { view: new DataView(data.buffer, data.byteOffset, data.byteLength), littleEndian: (kind & 1) === 1 };
}

/** A type that cannot be had. */
export function isMissingDefinition(error: unknown): boolean {
  return error instanceof RosInterfaceError;
}
