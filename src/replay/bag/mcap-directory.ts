/** The schemas and channels of one MCAP file, as they are met. */
import { McapStreamReader, type McapTypes } from '@mcap/core';
import { type Channel, fullTypeName } from './bag-file.js';

type SchemaRecord = McapTypes.TypedMcapRecords['Schema'];
type ChannelRecord = McapTypes.TypedMcapRecords['Channel'];

export class McapDirectory {
  readonly #schemas = new Map<number, SchemaRecord>();
  readonly #channels = new Map<number, Channel>();

  addSchema(schema: SchemaRecord): void {
    this.#schemas.set(schema.id, schema);
  }

  addChannel({ id, schemaId, topic, messageEncoding }: ChannelRecord): void {
    const schema = this.#schemas.get(schemaId);
    const known = this.#channels.get(id);
    if (known !== undefined && (known.type !== '' || schema === undefined)) return; // the schema of a damaged file can come later
    const definition =
      schema === undefined || schema.data.byteLength === 0
        ? {}
        : { definition: { encoding: schema.encoding, text: new TextDecoder().decode(schema.data) } };
    this.#channels.set(id, { topic, type: fullTypeName(schema?.name ?? ''), encoding: messageEncoding, ...definition });
  }

  /** @param record a schema or channel, from its opcode on. @throws {Error} when it is damaged. */
  addRecord(record: Uint8Array): void {
    const reader = new McapStreamReader({ noMagicPrefix: true });
    reader.append(record);
    const parsed = reader.nextRecord();
    if (parsed?.type === 'Schema') this.addSchema(parsed);
    else if (parsed?.type === 'Channel') this.addChannel(parsed);
  }

  channel(id: number): Channel | undefined {
    return this.#channels.get(id);
  }

  channels(): Iterable<Channel> {
    return this.#channels.values();
  }
}
