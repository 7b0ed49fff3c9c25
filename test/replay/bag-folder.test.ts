import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { copied, copiedFile, ownFolder, readBag } from './damage.js';
import { foreignBag, truth } from './foreign.js';

const ALL = truth.messages.length;
const SPLITS = [0, 1, 2].map((number) => `split_${number}.db3`);

/** A copy of a bag whose metadata.yaml says something else. */
function retold(name: string, change: (text: string) => string): string {
  const folder = copied(name);
  const file = path.join(folder, 'metadata.yaml');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return folder;
}

/** The whole of the problems. */
async function told(folder: string, messages: number, ...problems: RegExp[]): Promise<void> {
  const read = await readBag(folder);
  expect(read.problems).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  expect(read.messages).toBe(messages);
}

it('tells what metadata.yaml counts otherwise than the files, in all and by topic', async () => {
  const all = retold('rosbags-mcap', (text) => text.replaceAll('message_count: 911', 'message_count: 950'));
  await told(all, ALL, /metadata\.yaml: 39 of the 950 messages that it names are not in the files/);
  const topic = retold('rosbags-sqlite3', (text) => text.replaceAll('message_count: 151', 'message_count: 140'));
  await told(topic, ALL, /metadata\.yaml: topic \/camera\/image_raw: the files have 11 messages more than the 140 that it names/);
});

it('counts what is missing with a file that is not there', async () => {
  const folder = retold('split', (text) => text.replace('message_count: 0', `message_count: ${ALL}`));
  rmSync(path.join(folder, 'split_1.db3'));
  await told(
    folder,
    ALL - 304,
    /1 of 3 files named here are not there, .*: split_1\.db3/,
    /304 of the 911 messages that it names are not in the files/,
  );
});

it('replays a file that is named twice once, and none that is not named', async () => {
  const twice = retold('split', (text) => text.replace('split_1.db3', 'split_0.db3'));
  await told(twice, ALL - 304, /named more than once, they are replayed once: split_0\.db3/, /not named here are left out: split_1\.db3/);
  const one = retold('split', (text) => text.replace(/.*split_[12]\.db3\n/g, ''));
  await told(one, 303, /not named here are left out: split_1\.db3, split_2\.db3\. Name them here/);
});

it('replays what lies there where nothing that is named is', async () => {
  const none = retold('split', (text) => text.replace(/relative_file_paths:\n( +- .*\n)+/, 'relative_file_paths: []\n'));
  await told(
    none,
    ALL,
    /metadata\.yaml: it names no files; those that lie beside it are replayed: split_0\.db3, split_1\.db3, split_2\.db3/,
  );
  const renamed = copied('split');
  for (const [index, name] of SPLITS.entries()) renameSync(path.join(renamed, name), path.join(renamed, `drive_${index}.db3`));
  await told(
    renamed,
    ALL,
    /3 of 3 files named here are not there/,
    /none of its files is there; those that lie beside it are replayed: drive_0\.db3/,
  );
});

it('refuses a bag whose files are all gone, with their names', async () => {
  const gone = copied('split');
  for (const name of SPLITS) rmSync(path.join(gone, name));
  await expect(readBag(gone)).rejects.toThrow(
    /metadata\.yaml: none of the files that it names is there: split_0\.db3, split_1\.db3, split_2\.db3/,
  );
});

it('tells of several recordings in a folder without metadata.yaml', async () => {
  const folder = ownFolder();
  for (const name of ['zstd.mcap', 'unindexed.mcap']) copiedFile(name, folder);
  await told(folder, 2 * ALL, /there is no metadata\.yaml, and the files have the names of 2 recordings, .*: unindexed\.mcap, zstd\.mcap/);
  await told(foreignBag('split-without-metadata'), ALL);
});

it('replays a recording that is there compressed once more only once', async () => {
  const folder = copied('file-zstd-mcap');
  rmSync(path.join(folder, 'metadata.yaml'));
  renameSync(copiedFile('none.mcap', folder), path.join(folder, 'file-zstd-mcap.mcap'));
  await told(folder, ALL, /are there once more, compressed, and are replayed once: file-zstd-mcap\.mcap\.zstd/);
});
