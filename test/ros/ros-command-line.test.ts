import { describe, expect, it } from 'vitest';
import { logLevel, withoutParameters } from '../../src/ros/ros-command-line.js';

describe('withoutParameters', () => {
  it('leaves remappings and log levels, and takes parameters with their values away', () => {
    const argv = [
      '--ros-args',
      '-r',
      '__ns:=/robot',
      '--params-file',
      'a.yaml',
      '-p',
      'autostart:=false',
      '--log-level',
      'debug',
      '--',
      'x',
    ];
    expect(withoutParameters(argv)).toEqual(['--ros-args', '-r', '__ns:=/robot', '--log-level', 'debug', '--', 'x']);
  });
});

describe('logLevel', () => {
  it.each([
    [[], 'info'],
    [['--ros-args', '--log-level', 'debug'], 'debug'],
    [['--ros-args', '--log-level', 'governor:=WARN'], 'warn'],
    [['--ros-args', '--log-level', 'loud'], 'info'],
    [['--ros-args', '--log-level', 'error', '--log-level', 'fatal'], 'fatal'],
  ] as const)('of %j is %s', (argv, level) => {
    expect(logLevel(argv)).toBe(level);
  });
});
