import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { registerTrace } from '../../src/cli/trace.js';
import { commandRunner } from '../support/run-command.js';
import { longTrace } from '../trace/recorded.js';

const command = commandRunner('trace', registerTrace);
const LINES = longTrace();
const at = (name: string) => path.join(command.folder, name);

describe('vig trace verify', () => {
  it('shows to somebody who watches how far it is, a step a megabyte', async () => {
    const told = (detail: string) => ({ at: 0, refused: { request: 1, stream: 'a', state: 'invalid', cause: 'stamp_zero', detail } });
    const megabytes = `${JSON.stringify(told('x'.repeat(1000)))}\n`.repeat(3000);
    writeFileSync(at('run.trace'), [...LINES, megabytes].join(''));
    const { isTTY } = process.stderr;
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 2000;
      return nowMs;
    });
    process.stderr.isTTY = true;
    try {
      const { out, error } = await command.call('verify', at('run.trace'));
      expect(out).toContain(': identical');
      expect([...error.matchAll(/\] (\d+)\/(\d+)/g)].map(([, done, of]) => `${done}/${of}`)).toEqual(['1/4', '2/4', '3/4']);
      expect(error).toMatch(/\r +\r$/);
    } finally {
      process.stderr.isTTY = isTTY;
    }
  });
});

describe('vig trace export', () => {
  const exported = (trace: string, output: string) => command.call('export', at(trace), '--output', output);

  it('writes a whole file, or none', async () => {
    writeFileSync(at('run.trace'), LINES.join(''));
    writeFileSync(at('out.json'), 'of yesterday');
    expect((await exported('run.trace', at('out.json'))).status).toBeUndefined();
    expect(JSON.parse(readFileSync(at('out.json'), 'utf8')).traceEvents.length).toBeGreaterThan(100);
    writeFileSync(at('bad.trace'), `${LINES.slice(0, 20).join('')}{"at": "nonsense"}\n${LINES.slice(20).join('')}`);
    writeFileSync(at('out.json'), 'of yesterday');
    expect((await exported('bad.trace', at('out.json'))).status).toBe(2);
    expect(readFileSync(at('out.json'), 'utf8')).toBe('of yesterday');
    expect(readdirSync(command.folder).sort()).toEqual(['bad.trace', 'out.json', 'run.trace']);
    await expect(exported('run.trace', '/dev/full')).rejects.toThrow(/^\/dev\/full cannot be written: ENOSPC/);
  });

  it('writes over no part of the trace', async () => {
    writeFileSync(at('run.trace'), LINES.join(''));
    writeFileSync(at('run.trace.1.gz'), gzipSync(LINES.join('')));
    symlinkSync('run.trace', at('link'));
    for (const name of ['run.trace', 'run.trace.1.gz', 'link']) {
      const before = readFileSync(at(name));
      const { error, status } = await exported('run.trace', at(name));
      expect({ error, status }).toMatchObject({ status: 2, error: expect.stringContaining(`${at(name)}: is part of the trace`) });
      expect(readFileSync(at(name)).equals(before)).toBe(true);
    }
  });
});
