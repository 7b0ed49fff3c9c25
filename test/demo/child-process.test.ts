import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ChildOwner } from '../../src/demo/child-process.js';

const folder = mkdtempSync(path.join(tmpdir(), 'vig-child-'));
afterAll(() => rmSync(folder, { recursive: true }));

const READY_LIMIT_MS = 10_000;

function start(script: string, some: { stopTimeoutMs?: number; sharedMemoryPrefix?: string } = {}): ChildOwner {
  const child = new ChildOwner({ name: 'the child', command: 'bash', arguments: ['-c', script], stopTimeoutMs: 5000, ...some });
  onTestFinished(() => child.kill());
  return child;
}

function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('ChildOwner', () => {
  it('is ready when the line comes, and hears it once it has come', async () => {
    const child = start('echo starting; echo "now ready"; sleep 100');
    await child.untilLine(/^now ready$/, READY_LIMIT_MS);
    await child.untilLine(/^starting$/, READY_LIMIT_MS);
    child.mustRun();
    expect(child.log()).toContain('starting\nnow ready');
  });

  it('says how a child ended that was to run, with the end of its log', async () => {
    const child = start('echo "the port is taken" >&2; exit 7');
    await expect(child.untilLine(/ready/, READY_LIMIT_MS)).rejects.toThrow(
      /the child did not start: it ended with status 7\nthe port is taken/,
    );
    expect(() => child.mustRun()).toThrow(/the child is gone/);
  });

  it('says so when the program does not exist', async () => {
    const child = new ChildOwner({ name: 'the child', command: '/no/such/program', arguments: [], stopTimeoutMs: 1000 });
    await expect(child.untilLine(/ready/, READY_LIMIT_MS)).rejects.toThrow(/no\/such\/program/);
  });

  it('waits no longer than its limit, nor when it is told to stop waiting', async () => {
    const child = start('sleep 100');
    await expect(child.untilLine(/ready/, 100)).rejects.toMatchObject({ code: 'not_ready' });
    await expect(child.untilLine(/ready/, READY_LIMIT_MS, AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('asks first: a child may end in order', async () => {
    const file = path.join(folder, 'ended');
    const child = start(`trap 'echo in order > ${file}; exit 0' TERM; echo ready; while :; do sleep 0.02; done`);
    await child.untilLine(/ready/, READY_LIMIT_MS);
    await child.stop();
    expect(readFileSync(file, 'utf8')).toBe('in order\n');
    expect(child.hasEnded).toBe(true);
  });

  it('kills a child that does not listen, and what it started', async () => {
    const child = start(`trap '' TERM; (trap '' TERM; sleep 100) & echo "grandchild $!"; while :; do sleep 0.02; done`, {
      stopTimeoutMs: 100,
    });
    await child.untilLine(/grandchild/, READY_LIMIT_MS);
    const grandchild = Number(/grandchild (\d+)/.exec(child.log())?.[1]);
    expect([lives(child.pid), lives(grandchild)]).toEqual([true, true]);
    await child.stop();
    expect([lives(child.pid), lives(grandchild)]).toEqual([false, false]);
  });

  it('ends what a child started and left behind', async () => {
    const child = start('sleep 100 & echo "grandchild $!"; sleep 0.2');
    await child.untilLine(/grandchild/, READY_LIMIT_MS);
    const grandchild = Number(/grandchild (\d+)/.exec(child.log())?.[1]);
    await child.stop();
    expect(lives(grandchild)).toBe(false);
  });

  it('runs in a process group of its own, so that Ctrl-C is for its owner', async () => {
    const child = start('echo ready; sleep 100');
    await child.untilLine(/ready/, READY_LIMIT_MS);
    const group = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
    expect(group).toBe(String(child.pid));
  });

  it('removes the shared memory of a killed child, and only that', async () => {
    const prefix = `vig-test-${process.pid}-`;
    const [own, other] = [`/dev/shm/${prefix}own`, `/dev/shm/vig-other-test-${process.pid}`];
    writeFileSync(other, '');
    onTestFinished(() => rmSync(other, { force: true }));
    const child = start(`echo x > ${own}; echo ready; sleep 100`, { sharedMemoryPrefix: prefix });
    await child.untilLine(/ready/, READY_LIMIT_MS);
    expect(existsSync(own)).toBe(true);
    await child.kill();
    expect([existsSync(own), existsSync(other)]).toEqual([false, true]);
  });

  it('removes the Fast DDS segments that a killed child held, and no others, nor its ports', async () => {
    const id = randomBytes(8).toString('hex');
    const names = [`fastrtps_${id}`, `fastrtps_${id}_el`, `sem.fastrtps_${id}_mutex`];
    const other = `/dev/shm/fastrtps_${id}00`;
    const port = `/dev/shm/fastrtps_port${process.pid}_el`;
    for (const kept of [other, port]) {
      writeFileSync(kept, '');
      onTestFinished(() => rmSync(kept, { force: true }));
    }
    const child = start(`cd /dev/shm; touch ${names.join(' ')}; exec 8<${port} 9<fastrtps_${id}_el; echo ready; sleep 100`);
    await child.untilLine(/ready/, READY_LIMIT_MS);
    await child.kill();
    expect(names.filter((name) => existsSync(`/dev/shm/${name}`))).toEqual([]);
    expect([existsSync(other), existsSync(port)]).toEqual([true, true]);
  });

  it('may be stopped twice', async () => {
    const child = start('echo ready; sleep 100');
    await child.untilLine(/ready/, READY_LIMIT_MS);
    await Promise.all([child.stop(), child.stop()]);
    await child.stop();
    expect(child.hasEnded).toBe(true);
  });
});
