import { expect, test } from 'vitest';
import { parseRosArguments } from '../../src/config/ros-arguments.js';
import { problemsOf } from './configure.js';

const parse = (line: string) => parseRosArguments(line.split(' '));
const NOTHING = { parameterFiles: [], overrides: [] };

test.each([
  ['--ros-args --params-file a.yaml --params-file b.yaml', { ...NOTHING, parameterFiles: ['a.yaml', 'b.yaml'] }],
  ['--ros-args -p metrics.port:=0', { ...NOTHING, overrides: [{ key: 'metrics.port', value: '0' }] }],
  ['--ros-args --param a:=b:=c', { ...NOTHING, overrides: [{ key: 'a', value: 'b:=c' }] }],
  ['--ros-args -p governor:a:=1', { ...NOTHING, overrides: [{ node: 'governor', key: 'a', value: '1' }] }],
  ['--ros-args -p a:=/x:y', { ...NOTHING, overrides: [{ key: 'a', value: '/x:y' }] }],
  ['--ros-args -r __name:=eye --remap __ns:=/robot', { ...NOTHING, name: 'eye', namespace: '/robot' }],
  ['--ros-args -r governor:__node:=eye', { ...NOTHING, name: 'eye' }],
  ['--ros-args -r image:=/front/image --log-level debug', NOTHING],
  [
    '--ros-args -p a:=1 -- --ros-args -p c:=3 --',
    {
      ...NOTHING,
      overrides: [
        { key: 'a', value: '1' },
        { key: 'c', value: '3' },
      ],
    },
  ],
])('%s', (line, expected) => {
  expect(parse(line)).toEqual(expected);
});

test.each([
  ['--foo --ros-args', 'command line: --foo: only what stands behind --ros-args is read; write it there, or leave it out'],
  [
    '--params-file a.yaml',
    'command line: --params-file a.yaml: only what stands behind --ros-args is read; write it there, or leave it out',
  ],
  ['--ros-args -p a:=1 -- bar', 'command line: bar: only what stands behind --ros-args is read; write it there, or leave it out'],
  ['--ros-args --log-level loud', 'command line: --log-level loud: expected one of debug, info, warn, error, fatal'],
  ['--ros-args --log-level rcl:=loud', 'command line: --log-level rcl:=loud: expected one of debug, info, warn, error, fatal'],
  ['--ros-args --log-level', 'command line: --log-level lacks its argument: --log-level [LOGGER:=]LEVEL'],
  ['--ros-args --params-file', 'command line: --params-file lacks its argument: --params-file FILE'],
  ['--ros-args -p', 'command line: -p lacks its argument: -p NAME:=VALUE'],
  ['--ros-args -r', 'command line: -r lacks its argument: -r FROM:=TO'],
  ['--ros-args -p a=1', 'command line: -p a=1: expected NAME:=VALUE'],
  ['--ros-args -r __ns:=robot', 'command line: -r __ns:=robot: expected an absolute namespace, for instance /robot'],
  ['--ros-args -r __ns:=/robot/1', 'command line: -r __ns:=/robot/1: expected an absolute namespace, for instance /robot'],
  ['--ros-args -r __node:=my-eye', 'command line: -r __node:=my-eye: expected a node name of letters, digits and underscores'],
])('%s is refused', (line, problem) => {
  expect(problemsOf(() => parse(line))).toEqual([problem]);
});
