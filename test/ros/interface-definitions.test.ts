import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { installPrefixes, readDefinitions, splitTypeName } from '../../src/ros/interface-definitions.js';
import { installInterfaces } from './interfaces.js';

describe('readDefinitions', () => {
  it('finds the types inside a type, in the same package and in others, each once', () => {
    const names = readDefinitions('vigilant_governor/msg/GovernorStatus', [installInterfaces()]).map((definition) => definition.name);
    expect(names[0]).toBe('vigilant_governor/msg/GovernorStatus');
    expect([...names].sort()).toEqual([
      'std_msgs/msg/Header',
      'vigilant_governor/msg/BackendStatus',
      'vigilant_governor/msg/GovernorStatus',
      'vigilant_governor/msg/StreamStatus',
    ]);
  });

  it('takes the first prefix that has the type', () => {
    const overlay = installInterfaces();
    writeFileSync(path.join(overlay, 'share', 'std_msgs', 'msg', 'Header.msg'), 'string overlaid\n');
    const [header] = readDefinitions('std_msgs/msg/Header', [overlay, installInterfaces()]);
    expect(header?.definitions.map((field) => field.name)).toEqual(['overlaid']);
  });

  it('names a package that is not installed, and the remedy', () => {
    const prefixes = [installInterfaces(['vision_msgs'])];
    expect(() => readDefinitions('vision_msgs/msg/Detection2DArray', prefixes)).toThrow(
      'message type vision_msgs/msg/Detection2DArray is not installed under AMENT_PREFIX_PATH: install the package vision_msgs and source its setup file',
    );
  });

  it('says which definition cannot be parsed', () => {
    const prefix = installInterfaces();
    mkdirSync(path.join(prefix, 'share', 'odd_msgs', 'msg'), { recursive: true });
    writeFileSync(path.join(prefix, 'share', 'odd_msgs', 'msg', 'Odd.msg'), 'this is ! no definition\n');
    expect(() => readDefinitions('odd_msgs/msg/Odd', [prefix])).toThrow(/the definition of odd_msgs\/msg\/Odd cannot be parsed/);
  });
});

describe('splitTypeName', () => {
  it('refuses what is no message type', () => {
    expect(() => splitTypeName('sensor_msgs.Image')).toThrow('"sensor_msgs.Image" is not a message type; expected package/msg/Name');
  });
});

describe('installPrefixes', () => {
  it('is the search path of the environment, in order', () => {
    expect(installPrefixes({ AMENT_PREFIX_PATH: '/b:/a:' })).toEqual(['/b', '/a']);
    expect(installPrefixes({})).toEqual([]);
  });
});
