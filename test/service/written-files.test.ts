/** What the node is told to write is nothing that it reads. */
import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfiguration } from '../../src/config/load.js';
import { runNode } from '../../src/ros/run-node.js';
import { refuseOverwrites } from '../../src/service/written-files.js';
import { fileWith } from '../config/configure.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vig-written-'));
  writeFileSync(at('site.yaml'), 'other:\n  ros__parameters: {}\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);

/** What is said of a configuration, without the folder. */
async function refusal(changes: Readonly<Record<string, string>>): Promise<string> {
  const robot = at('robot.yaml');
  writeFileSync(robot, fileWith(changes));
  const files = [robot, at('site.yaml')];
  const said = await refuseOverwrites(loadConfiguration({ files }), files).then(
    () => '',
    (error: Error) => error.message,
  );
  return said.replaceAll(`${folder}/`, '');
}

describe('is refused', () => {
  it.each(['trace.file', 'learning.state_file'])('%s that is a parameter file', async (key) => {
    const text = `robot.yaml:9: ${key} is "robot.yaml": is the parameter file robot.yaml; name another file`;
    expect(await refusal({ [key]: at('robot.yaml') })).toBe(text);
  });

  it('one for other nodes, by a link, by another name of it, and by another way', async () => {
    symlinkSync('site.yaml', at('link'));
    linkSync(at('site.yaml'), at('hard'));
    for (const name of ['link', 'hard', `../${path.basename(folder)}/site.yaml`])
      expect(await refusal({ 'trace.file': `${folder}/${name}` })).toContain('is the parameter file site.yaml; name another file');
  });

  it('one file for both, also where it is not there yet', async () => {
    const text = 'robot.yaml:10: trace.file is "new": is what learning.state_file writes; name another file';
    expect(await refusal({ 'learning.state_file': at('new'), 'trace.file': at('./new') })).toBe(text);
  });

  it('the key by which the node proves who it is', async () => {
    for (const name of ['ca', 'pem', 'key']) writeFileSync(at(name), '');
    const tls = { ca_file: at('ca'), certificate_file: at('pem'), key_file: at('key') };
    const text = 'is read as backends.gpu.tls.key_file; name another file';
    expect(await refusal({ 'backends.gpu.tls': JSON.stringify(tls), 'trace.file': at('key') })).toContain(text);
  });

  it('a state file that is named like what stands beside the trace', async () => {
    const trace = { 'trace.file': at('run.trace') };
    expect(await refusal({ ...trace, 'learning.state_file': at('run.trace.lock') })).toContain('held as long as trace.file is written');
    expect(await refusal({ ...trace, 'learning.state_file': at('run.trace.12.gz') })).toContain('the name of a part of trace.file');
    expect(await refusal({ ...trace, 'learning.state_file': at('run.trace.learned') })).toBe('');
  });

  it('each that is wrong, at once', async () => {
    const said = await refusal({ 'learning.state_file': at('robot.yaml'), 'trace.file': at('site.yaml') });
    expect(said.split('\n')).toHaveLength(2);
  });
});

it('files of their own, new or of earlier, and none at all are taken', async () => {
  writeFileSync(at('earlier'), '');
  expect(await refusal({})).toBe('');
  expect(await refusal({ 'learning.state_file': at('new'), 'trace.file': at('earlier') })).toBe('');
});

it('vig run says so before it starts, with status 2, and the file is as it was', async () => {
  const robot = at('robot.yaml');
  writeFileSync(robot, fileWith({}));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const started = vi.fn();
  const nothing = () => expect.unreachable();
  const status = await runNode(['--ros-args', '--params-file', robot, '-p', `trace.file:=${robot}`], nothing, started);
  expect(status).toBe(2);
  expect(said).toHaveBeenCalledWith(`command line: trace.file is "${robot}": is the parameter file ${robot}; name another file\n`);
  expect(started).not.toHaveBeenCalled();
  expect(readFileSync(robot, 'utf8')).toBe(fileWith({}));
});
