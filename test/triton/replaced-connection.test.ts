/** When another connection takes the place of the one in use: since a model has answers that are too long for it, or after a loss. It has to be introduced. */
import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, byName, GOOD_RESULT, HostileServer, metadata, ready, result, withMemory } from '../support/hostile-server.js';
import { floats, TritonHarness } from '../support/triton-harness.js';

const SOON = { timeout: 10_000, interval: 5 };
const NOT_REPLACED = 'stays in use';

/** Serves "echo", and "late" once it is told to, whose answers may be of any size; and tells connections apart. */
class World {
  readonly regions = new Set<string>();
  /** In the order in which something was asked over them. */
  readonly sessions: (Http2Session | undefined)[] = [];
  /** Over which connection each inference call came, from 1. */
  readonly calls: number[] = [];
  lateIsThere = false;
  /** Instead of the answer to whether the witness is there, over another connection than the first. */
  atIntroduction: Answer | undefined;
  /** Calls and questions that wait. */
  readonly held: ServerHttp2Stream[] = [];
  readonly server: HostileServer;
  readonly harness: TritonHarness;
  readonly #answers = withMemory(this.regions);

  constructor(server: HostileServer) {
    this.server = server;
    server.answers = {
      ...this.#answers,
      ModelReady: byName((name) => ready(name === 'echo' || this.lateIsThere)),
      ModelMetadata: byName((name) =>
        metadata({ name, versions: ['1'], inputs: [tensor('IN', 1)], outputs: [tensor('OUT', name === 'echo' ? 1 : -1)] }),
      ),
      ModelInfer: (stream) => {
        this.calls.push(this.#numberOf(stream));
        result(GOOD_RESULT)(stream);
      },
      SystemSharedMemoryStatus: (stream) => {
        const isFirst = this.#numberOf(stream) === 1;
        (isFirst ? this.answerStatus : (this.atIntroduction ?? this.answerStatus))(stream);
      },
    };
    this.harness = new TritonHarness(server.endpoint, ['echo', 'late']);
  }

  readonly answerStatus: Answer = (stream) => this.#answers['SystemSharedMemoryStatus']?.(stream);
  readonly hold: Answer = (stream) => void this.held.push(stream);

  /** Answers what waited as a good server does. */
  release(answer: Answer): void {
    for (const stream of this.held.splice(0)) answer(stream);
  }

  /** Calls that come from now on wait. */
  holdCalls(): void {
    this.server.answers['ModelInfer'] = (stream) => {
      this.calls.push(this.#numberOf(stream));
      this.hold(stream);
    };
  }

  async call(): Promise<number | undefined> {
    expect(await this.harness.infer('echo', floats(1))).toMatchObject({ result: 'ok' });
    return this.calls.at(-1);
  }

  said(text: string): string[] {
    return this.harness.logLines.filter((line) => line.includes(text));
  }

  #numberOf({ session }: ServerHttp2Stream): number {
    if (!this.sessions.includes(session)) this.sessions.push(session);
    return this.sessions.indexOf(session) + 1;
  }
}

const tensor = (name: string, size: number) => ({ name, datatype: 'FP32', shape: [size] });
const breakOff: Answer = (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
const hangUp: Answer = (stream) => stream.session?.destroy();

let world: World;

beforeEach(async () => {
  world = new World(await HostileServer.listen());
  onTestFinished(() => world.harness.backend.close());
  await vi.waitFor(() => expect(world.harness.isReady('echo')).toBe(true), SOON);
});

afterEach(() => world.server.close());

/** The second connection is there, and the witness was asked for over it. */
async function introductionHeld(): Promise<void> {
  world.atIntroduction = world.hold;
  world.lateIsThere = true;
  await vi.waitFor(() => expect(world.held).toHaveLength(1), SOON);
}

describe('until the other connection is introduced', () => {
  test('calls go over the one in use', async () => {
    await introductionHeld();
    expect(await world.call()).toBe(1);
    world.atIntroduction = undefined;
    world.release(world.answerStatus);
    await vi.waitFor(() => expect(world.harness.isReady('late')).toBe(true), SOON);
    expect(await world.call()).toBe(2);
    expect(world.sessions).toHaveLength(2);
  });

  test('a server that is killed leaves no call of which nobody knows where it was', async () => {
    await introductionHeld();
    world.holdCalls();
    const call = world.harness.infer('echo', floats(1));
    await vi.waitFor(() => expect(world.calls).toHaveLength(1), SOON);
    world.server.close();
    expect(await call).toMatchObject({ result: 'unknown', witnessed: true });
  });

  test('the loss of the one in use is a loss; the other takes its place when it is introduced', async () => {
    await introductionHeld();
    world.sessions[0]?.destroy();
    await vi.waitFor(() => expect(world.harness.isReady('echo')).toBe(false), SOON);
    expect(await world.harness.infer('echo', floats(1))).toMatchObject({ result: 'not_started' });
    world.atIntroduction = undefined;
    world.release(world.answerStatus);
    await vi.waitFor(() => expect(world.harness.isReady('echo')).toBe(true), SOON);
    expect(await world.call()).toBe(2);
  });

  test('the backend can be closed: neither stays open, and the server forgets the witness', async () => {
    await introductionHeld();
    expect(world.regions.size).toBe(1);
    const closing = world.harness.backend.close();
    world.release(world.answerStatus);
    await closing;
    expect(world.regions.size).toBe(0);
    await vi.waitFor(() => expect(world.sessions.every((session) => session?.destroyed)).toBe(true), SOON);
    expect(world.server.connections).toBe(2);
  });
});

test('the one that was in use is closed when its calls have ended', async () => {
  world.holdCalls();
  const call = world.harness.infer('echo', floats(1));
  await vi.waitFor(() => expect(world.calls).toEqual([1]), SOON);
  world.lateIsThere = true;
  await vi.waitFor(() => expect(world.harness.isReady('late')).toBe(true), SOON);
  expect(world.sessions[0]?.destroyed).toBe(false);
  world.release(result(GOOD_RESULT));
  expect(await call).toMatchObject({ result: 'ok' });
  await vi.waitFor(() => expect(world.sessions[0]?.destroyed).toBe(true), SOON);
});

describe.each([
  ['breaks off', breakOff],
  ['hangs up', hangUp],
])('an introduction that %s', (_, answer) => {
  test('leaves the one before in use, is told once, and is tried again', async () => {
    world.atIntroduction = answer;
    world.lateIsThere = true;
    await vi.waitFor(() => expect(world.server.connections).toBeGreaterThan(4), SOON);
    expect(await world.call()).toBe(1);
    expect(world.harness.isReady('echo')).toBe(true);
    expect(world.harness.last('late')).toMatchObject({
      ready: false,
      detail: expect.stringContaining('waits for a connection that takes its answers'),
    });
    expect(world.said(NOT_REPLACED)).toHaveLength(1);

    world.atIntroduction = undefined;
    await vi.waitFor(() => expect(world.harness.isReady('late')).toBe(true), SOON);
    const number = await world.call();
    expect(number).toBe(world.sessions.length);
    await vi.waitFor(() => expect(world.sessions.slice(0, -1).every((session) => session?.destroyed)).toBe(true), SOON);
    expect(world.harness.records.filter(({ backendModel, ready }) => backendModel === 'echo' && !ready)).toHaveLength(0);
  });
});

test('one that takes no more calls is closed with the backend, and its call given up', async () => {
  world.holdCalls();
  const call = world.harness.infer('echo', floats(1));
  await vi.waitFor(() => expect(world.calls).toEqual([1]), SOON);
  world.sessions[0]?.close();
  await vi.waitFor(() => expect(world.server.connections).toBeGreaterThan(1), SOON);
  await world.harness.backend.close();
  expect(await call).toMatchObject({ result: 'unknown' });
});

describe('a connection that leads to another process', () => {
  const anotherProcess: Answer = (stream) => withMemory(new Set())['SystemSharedMemoryStatus']?.(stream);
  const restarts = () => world.harness.evidence.filter((told) => told.kind === 'witness' && !told.present);

  /** The first process ends; its successor answers from now on. */
  function end(): void {
    world.regions.clear();
    world.atIntroduction = undefined;
  }

  test('is not used while the first process serves: that is no restart', async () => {
    world.atIntroduction = anotherProcess;
    world.lateIsThere = true;
    await vi.waitFor(() => expect(world.server.connections).toBeGreaterThan(3), SOON);
    expect(await world.call()).toBe(1);
    expect(restarts()).toEqual([]);
    expect(world.said(NOT_REPLACED)).toHaveLength(1);
    expect(world.harness.last('late')).toMatchObject({ ready: false, detail: expect.stringContaining('another server process') });

    end();
    world.sessions[0]?.destroy();
    await vi.waitFor(() => expect(world.harness.isReady('late')).toBe(true), SOON);
    expect(restarts()).toHaveLength(1);
    expect(await world.call()).toBe(world.sessions.length);
  });

  test('is not what it is when another client unregistered the regions of all', async () => {
    world.regions.clear();
    world.lateIsThere = true;
    await vi.waitFor(() => expect(world.harness.isReady('late')).toBe(true), SOON);
    expect(restarts()).toEqual([]);
    expect(await world.call()).toBe(2);
    expect(world.said('unregisters the regions of others')).toHaveLength(1);
  });

  test('gets no warm-up call while the first process has calls', async () => {
    world.holdCalls();
    const call = world.harness.infer('echo', floats(1));
    const warmUp = world.harness.backend.warmUp('echo', [floats(1)], 2);
    const refused = expect(warmUp).rejects.toMatchObject({ code: 'not_ready' });
    await vi.waitFor(() => expect(world.calls).toEqual([1, 1]), SOON);
    world.atIntroduction = anotherProcess;
    world.sessions[0]?.close();
    await vi.waitFor(() => expect(world.harness.isReady('echo')).toBe(false), SOON);
    result(GOOD_RESULT)(world.held.pop() as ServerHttp2Stream); // the warm-up call
    await refused;
    expect(world.calls).toEqual([1, 1]);
    world.release(result(GOOD_RESULT));
    await call;
  });

  test('waits for the calls of the first, which takes no more of them', async () => {
    world.holdCalls();
    const call = world.harness.infer('echo', floats(1));
    await vi.waitFor(() => expect(world.calls).toEqual([1]), SOON);
    world.atIntroduction = anotherProcess;
    world.sessions[0]?.close();
    await vi.waitFor(
      () => expect(world.harness.last('echo')).toMatchObject({ ready: false, detail: expect.stringContaining('another server process') }),
      SOON,
    );
    expect(restarts()).toEqual([]);

    world.release(result(GOOD_RESULT));
    expect(await call).toMatchObject({ result: 'ok' });
    end();
    await vi.waitFor(() => expect(world.harness.isReady('echo')).toBe(true), SOON);
    expect(restarts()).toHaveLength(1);
  });
});
