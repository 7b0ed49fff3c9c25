/** What metadata.yaml says of a bag, as far as a reader needs it. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { MessageCounts } from './bag-file.js';

const countSchema = z.number().default(0);
const metadataSchema = z.object({
  rosbag2_bagfile_information: z.object({
    storage_identifier: z.string(),
    compression_format: z.string().default(''),
    relative_file_paths: z.array(z.string()),
    message_count: countSchema,
    topics_with_message_count: z
      .array(z.object({ topic_metadata: z.object({ name: z.string() }), message_count: countSchema }))
      .default([]),
  }),
});

export interface BagMetadata {
  /** Where it stands. */
  readonly file: string;
  readonly storage: string;
  readonly compressionFormat: string;
  /** Paths beside metadata.yaml. */
  readonly files: readonly string[];
  readonly messageCount: number;
  readonly promised: MessageCounts;
}

/** @throws {Error} when the file is not what it should be. */
export async function readMetadata(file: string): Promise<BagMetadata> {
  const contents: unknown = parse(await readFile(file, 'utf8'));
  const parsed = metadataSchema.safeParse(contents);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const {
    storage_identifier: storage,
    compression_format: compressionFormat,
    relative_file_paths: files,
    message_count: messageCount,
    topics_with_message_count: topics,
  } = parsed.data.rosbag2_bagfile_information;
  const promised = new Map<string, number>();
  for (const { topic_metadata: topic, message_count: count } of topics) promised.set(topic.name, (promised.get(topic.name) ?? 0) + count);
  return { file, storage, compressionFormat: compressionFormat.toLowerCase(), files, messageCount, promised };
}
