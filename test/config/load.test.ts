import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfiguration } from '../../src/config/load.js';
import { ConfigurationError } from '../../src/config/problem.js';
import { fileWith, problemsOf } from './configure.js';

const folder = mkdtempSync(join(tmpdir(), 'vig-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function file(text: string): string {
  count += 1;
  const path = join(folder, `${count}.yaml`);
  writeFileSync(path, text);
  return path;
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.code;
    throw error;
  }
  return undefined;
}

const RIGHT = file(fileWith({ 'metrics.port': '1' }));

describe('what counts', () => {
  test('a later file over an earlier one, the command line over both', () => {
    const later = file('/**:\n  ros__parameters:\n    metrics.port: 2\n    metrics.host: later\n');
    expect(loadConfiguration({ files: [RIGHT, later] }).parameters.metrics).toEqual({ port: 2, host: 'later' });
    expect(loadConfiguration({ files: [later, RIGHT] }).parameters.metrics).toEqual({ port: 1, host: 'later' });
    const overrides = [
      { key: 'metrics.port', value: '3' },
      { key: 'metrics.port', value: '4' },
      { node: 'camera', key: 'metrics.port', value: '5' },
      { node: 'governor', key: 'metrics.host', value: 'mine' },
    ];
    expect(loadConfiguration({ files: [RIGHT, later], overrides }).parameters.metrics).toEqual({ port: 4, host: 'mine' });
  });

  test('a whole group may come from the command line', () => {
    const overrides = [{ key: 'metrics', value: '{port: 7, host: x}' }];
    expect(loadConfiguration({ files: [RIGHT], overrides }).parameters.metrics).toEqual({ port: 7, host: 'x' });
  });

  test('the name and namespace the node was started with', () => {
    const text = fileWith({}).replace('governor:', '/robot/eye:');
    const node = { name: 'eye', namespace: '/robot' };
    expect(loadConfiguration({ files: [file(text)], node }).parameters.streams).toHaveProperty('front');
  });
});

describe('what is wrong', () => {
  test('a model whose work can be cut: a node takes no text yet, and does not ignore what it cannot do', () => {
    const path = file(fileWith({ 'models.detector.cooperative.base_cost_us': '18000' }));
    expect(problemsOf(() => loadConfiguration({ files: [path] }))).toEqual([
      expect.stringContaining('models.detector.cooperative: no parameter of the node, which takes no text yet'),
    ]);
  });

  test('a file for other nodes only says which, and what is expected', () => {
    const other = file('camera:\n  ros__parameters: {a: 1}\n/robot/governor:\n  ros__parameters: {a: 1}\n');
    expect(problemsOf(() => loadConfiguration({ files: [other] }))).toEqual([
      `${other}: no parameters for node /governor: there are blocks for camera, /robot/governor; expected "governor:" or "/**:", and below it "ros__parameters:"`,
    ]);
    const node = { name: 'governor', namespace: '/left' };
    expect(problemsOf(() => loadConfiguration({ files: [RIGHT], node }))).toEqual([
      `${RIGHT}: no parameters for node /left/governor: there are blocks for governor; expected "/left/governor:" or "/**:", and below it "ros__parameters:"`,
    ]);
    expect(problemsOf(() => loadConfiguration({ files: [file('')] }))[0]).toContain('there are no blocks');
    expect(codeOf(() => loadConfiguration({ files: [other] }))).toBe('no_block');
  });

  test('a file among several that is for other nodes only is fine', () => {
    const other = file('camera:\n  ros__parameters: {a: 1}\n');
    expect(codeOf(() => loadConfiguration({ files: [other, RIGHT] }))).toBeUndefined();
  });

  test('a file for other nodes is named where something is missing, as under a namespace with the file that launch adds', () => {
    const launched = file('/**:\n  ros__parameters: {use_sim_time: false}\n');
    const problems = problemsOf(() => loadConfiguration({ files: [RIGHT, launched], node: { name: 'governor', namespace: '/robot' } }));
    expect(problems.at(-1)).toBe(
      `${RIGHT}: no parameters for node /robot/governor: there are blocks for governor; expected "/robot/governor:" or "/**:", and below it "ros__parameters:"`,
    );
    expect(problems.length).toBeGreaterThan(1);
  });

  test('files that cannot be read are all named', () => {
    const missing = join(folder, 'missing.yaml');
    const large = file(`# ${'x'.repeat(262_144)}`);
    const problems = problemsOf(() => loadConfiguration({ files: [missing, RIGHT, folder, large] }));
    expect(problems).toEqual([
      expect.stringMatching(/missing\.yaml: cannot read the file: ENOENT/),
      expect.stringMatching(/: cannot read the file: .*not a file/),
      expect.stringMatching(/: cannot read the file: .*262146 bytes are too many; expected at most 262144/),
    ]);
    expect(codeOf(() => loadConfiguration({ files: [missing] }))).toBe('unreadable');
  });

  test('a pipe is read to its end, and not beyond what a file may have', () => {
    const [parameters, long] = ['parameters', 'long'].map((name) => join(folder, name));
    execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', parameters ?? '', long ?? '']);
    spawn('sh', ['-c', `cat ${RIGHT} > ${parameters}`], { stdio: 'ignore' });
    spawn('sh', ['-c', `yes x > ${long}`], { stdio: 'ignore' });
    expect(loadConfiguration({ files: [parameters ?? ''] }).parameters).toEqual(loadConfiguration({ files: [RIGHT] }).parameters);
    expect(problemsOf(() => loadConfiguration({ files: [long ?? ''] }))[0]).toContain('more than 262144 bytes are too many');
  });

  test('a device is not read for ever', () => {
    expect(problemsOf(() => loadConfiguration({ files: ['/dev/zero'] }))[0]).toContain('not a file');
  });

  test('a wrong override names itself', () => {
    const overrides = [
      { key: 'metrics.port', value: 'x' },
      { key: 'metrics.hots', value: 'x' },
      { key: 'autostart', value: '' },
    ];
    expect(problemsOf(() => loadConfiguration({ files: [RIGHT], overrides }))).toEqual([
      'command line: autostart: has no value; write one, or remove the line',
      'command line: metrics.port is "x": expected a whole number from 0 to 65535',
      'command line: metrics.hots is "x": no such parameter; did you mean metrics.host?',
    ]);
    expect(codeOf(() => loadConfiguration({ files: [RIGHT], overrides }))).toBe('invalid');
    expect(codeOf(() => loadConfiguration({ files: [RIGHT], overrides: [{ key: 'autostart', value: '[1' }] }))).toBe('malformed');
  });

  test('what is missing altogether is said of the block, or of the files, that should have it', () => {
    const text = 'streams: there are none; add streams.<name> with topic, model and contract.max_age_ms';
    const [one, other] = [
      file('governor:\n  ros__parameters:\n    autostart: true\n'),
      file('/**:\n  ros__parameters: {autostart: true}\n'),
    ];
    expect(problemsOf(() => loadConfiguration({ files: [one] }))).toEqual([`${one}:2: ${text}`]);
    expect(problemsOf(() => loadConfiguration({ files: [one, other] }))).toEqual([`${one}, ${other}: ${text}`]);
  });

  test('nothing at all', () => {
    expect(problemsOf(() => loadConfiguration({ files: [] }))).toEqual([
      'streams: there are none; add streams.<name> with topic, model and contract.max_age_ms',
    ]);
  });
});
