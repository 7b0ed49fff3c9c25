/** Writes a bag of ROS 2: a folder with one MCAP file and its metadata. It has its name once it is whole. */
import { type FileHandle, lstat, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { McapWriter } from '@mcap/core';
import { Unfinished } from '../../files/unfinished.js';
import { WriteError } from '../../files/write-error.js';
import { messageOf } from '../../governor/error-message.js';
import { packageVersion } from '../../version.js';
import { bagMetadata, qosProfiles, type WrittenTopic } from './bag-metadata.js';
import { type TopicSchema, topicSchema } from './message-topic.js';

/** Whatever the folder is called: the bytes of a bag do not depend on where it is written. */
const FILE = 'replay_0.mcap';
const CHUNK_BYTES = 1 << 20;

/** A place at which no bag can be made. */
export class BagWriteError extends Error {
  override readonly name = 'BagWriteError';
}

/** Writes messages of one topic; they are in the file after the next flush. */
export type TopicWriter = (message: object, logNs: bigint) => void;

interface Queued {
  readonly channelId: number;
  readonly sequence: number;
  readonly logNs: bigint;
  readonly data: Uint8Array;
}

export class BagWriter {
  readonly #folder: Unfinished;
  readonly #handle: FileHandle;
  readonly #name: string;
  readonly #mcap: McapWriter;
  readonly #schemas = new Map<string, { readonly schema: TopicSchema; readonly id: number }>();
  readonly #topics: WrittenTopic[] = [];
  #queue: Queued[] = [];
  #startNs: bigint | undefined;
  #endNs = 0n;

  private constructor(folder: Unfinished, handle: FileHandle, name: string) {
    this.#folder = folder;
    this.#handle = handle;
    this.#name = name;
    let position = 0;
    const write = async (bytes: Uint8Array) => {
      await this.#orWriteError(handle.writeFile(bytes)); // unlike write, all of it
      position += bytes.byteLength;
    };
    this.#mcap = new McapWriter({ writable: { position: () => BigInt(position), write }, chunkSize: CHUNK_BYTES });
  }

  /** @param name of a folder that is made; a bag that is there already is not touched. @throws {BagWriteError} @throws {WriteError} */
  static async create(name: string): Promise<BagWriter> {
    const folder = await newFolder(name);
    try {
      const writer = new BagWriter(folder, await open(path.join(folder.path, FILE), 'wx'), name);
      await writer.#mcap.start({ profile: 'ros2', library: `vigilant_governor ${packageVersion()}` });
      return writer;
    } catch (error) {
      folder.discard();
      throw error;
    }
  }

  /** @param type package/msg/Name */
  async addTopic(name: string, type: string, depth: number): Promise<TopicWriter> {
    const { schema, id: schemaId } = await this.#schema(type);
    const metadata = new Map([['offered_qos_profiles', qosProfiles(depth)]]);
    const channelId = await this.#mcap.registerChannel({ schemaId, topic: name, messageEncoding: 'cdr', metadata });
    const topic: WrittenTopic = { name, type, depth, messages: 0 };
    this.#topics.push(topic);
    return (message, logNs) => {
      this.#queue.push({ channelId, sequence: topic.messages, logNs, data: schema.writer.write(message) });
      topic.messages += 1;
      this.#startNs ??= logNs;
      if (logNs > this.#endNs) this.#endNs = logNs;
    };
  }

  /** @throws {WriteError} */
  async flush(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    for (const { logNs, ...message } of queue) await this.#mcap.addMessage({ ...message, logTime: logNs, publishTime: logNs });
  }

  /** Ends the file, says beside it what is in it, and gives the folder its name. @throws {WriteError} */
  async close(): Promise<void> {
    await this.flush();
    const startNs = this.#startNs ?? 0n;
    const { inside, beside } = bagMetadata({
      file: FILE,
      startNs,
      endNs: this.#endNs > startNs ? this.#endNs : startNs,
      topics: this.#topics,
    });
    await this.#mcap.addMetadata({ name: 'rosbag2', metadata: new Map([['serialized_metadata', inside]]) });
    await this.#mcap.end();
    await this.#handle.close();
    await this.#orWriteError(writeFile(path.join(this.#folder.path, 'metadata.yaml'), beside));
    this.#folder.keep();
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#handle.close();
    this.#folder.discard();
  }

  async #orWriteError(writing: Promise<void>): Promise<void> {
    await writing.catch((error: unknown) => {
      throw new WriteError(this.#name, error);
    });
  }

  async #schema(type: string): Promise<{ readonly schema: TopicSchema; readonly id: number }> {
    const known = this.#schemas.get(type);
    if (known !== undefined) return known;
    const schema = topicSchema(type);
    const id = await this.#mcap.registerSchema({ name: type, encoding: 'ros2msg', data: Buffer.from(schema.text) });
    const added = { schema, id };
    this.#schemas.set(type, added);
    return added;
  }
}

/** Has a bag written while there is work, where a folder is named: whole, or not at all. @throws {BagWriteError} @throws {WriteError} */
export async function withWriter<R>(folder: string | undefined, work: (writer: BagWriter | undefined) => Promise<R>): Promise<R> {
  if (folder === undefined) return work(undefined);
  const writer = await BagWriter.create(folder);
  try {
    const result = await work(writer);
    await writer.close();
    return result;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function newFolder(name: string): Promise<Unfinished> {
  if (await lstat(name).catch(() => undefined)) throw new BagWriteError(`${name} is there already; name a folder that is not`);
  let folder: Unfinished | undefined;
  try {
    folder = new Unfinished(name);
    await mkdir(folder.path);
    return folder;
  } catch (cause) {
    folder?.discard();
    throw new BagWriteError(`${name} cannot be made: ${messageOf(cause)}`, { cause });
  }
}
