/** What metadata.yaml says of a bag, as far as a reader needs it. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const metadataSchema = z.object({
  rosbag2_bagfile_information: z.object({
    storage_identifier: z.string(),
    compression_format: z.string().default(''),
    relative_file_paths: z.array(z.string()),
  }),
});

export interface BagMetadata {
  readonly storage: string;
  readonly compressionFormat: string;
  /** Paths beside metadata.yaml. */
  readonly files: readonly string[];
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
  } = parsed.data.rosbag2_bagfile_information;
  return { storage, compressionFormat: compressionFormat.toLowerCase(), files };
}
