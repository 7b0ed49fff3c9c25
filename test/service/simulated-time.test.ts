/** The service on a clock that stands, runs fast, jumps and leaps; and on the machine's, while the time of the day is set. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { CLOCK_ORIGIN_US, micros } from '../../src/core/units.js';
import type { Clock, OutcomeRecord } from '../../src/governor/ports.js';
import { SimulatedClock } from '../../src/governor/simulated-clock.js';
import { GovernorService } from '../../src/service/governor-service.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { configure } from '../config/configure.js';
import { ManualClock } from '../governor/manual-clock.js';
import { ManualServer } from '../support/manual-server.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const opened: GovernorService[] = [];

afterEach(async () => {
  for (const service of opened.splice(0)) await service.cleanup();
});

const PICTURE = { height: 1, width: 1, encoding: 'rgb8', is_bigendian: 0, step: 3, data: new Uint8Array(3) };

async function serve(clock: Clock, changes: Readonly<Record<string, string>>) {
  const server = new ManualServer();
  const outcomes: OutcomeRecord[] = [];
  const service = new GovernorService(configure({ 'metrics.port': '0', ...changes }), {
    clock,
    connect: server.connect,
    log: pino({ level: 'silent' }),
    publisher: { received: () => {}, result: () => {}, outcome: (record) => outcomes.push(record) },
  });
  opened.push(service);
  await service.configure();
  service.activate();
  await settled();
  return {
    service,
    server,
    outcomes,
    causes: () => outcomes.map(({ request, cause }) => `${request} ${cause}`),
    /** A picture captured at a ROS time. */
    receive: (stampMs: number, rosNowNs: bigint) => {
      const header = { stamp: { sec: Math.floor(stampMs / 1000), nanosec: (stampMs % 1000) * 1_000_000 }, frameId: 'camera' };
      service.receive('front', { header, rosNowNs, message: { header: {}, ...PICTURE } });
    },
    end: async (call: number) => {
      server.calls[call]?.end({ result: 'ok', outputs: [], modelVersion: '1' });
      await settled();
    },
  };
}

async function bench(changes: Readonly<Record<string, string>> = {}) {
  const machine = new ManualClock();
  const clock = new SimulatedClock(machine);
  const made = await serve(clock, changes);
  const { service } = made;
  const tick = (rosMs: number) => {
    const step = clock.tick(BigInt(rosMs) * 1_000_000n);
    if (step === 'jumped') service.clockJumped();
    if (step !== 'went_on') service.placeRosTime(clock.rosEpochUs ?? micros(0));
  };
  let atMs = 0;
  return {
    ...made,
    machine,
    tick,
    receive: (stampMs: number) => made.receive(stampMs, clock.rosNowNs() ?? 0n),
    pass: (ms: number) => {
      atMs += ms;
      machine.moveTo(atMs);
    },
    /** The clock runs for so long, by the machine. */
    run: (rosFromMs: number, ms: number, rate = 1) => {
      for (let passed = 0; passed <= ms; passed += 10) {
        machine.moveTo(atMs + passed);
        tick(rosFromMs + passed * rate);
      }
      atMs += ms;
    },
  };
}

describe('a service under use_sim_time', () => {
  it('reads ages by the clock, and counts on at its rate', async () => {
    const { run, receive, end, outcomes, pass } = await bench();
    run(100_000, 500, 2);
    receive(100_990);
    pass(5);
    await end(0);
    expect(outcomes[0]).toMatchObject({ cause: 'delivered', ageUs: 20_000, serviceUs: 10_000 });
  });

  it('gives up by the machine while the clock stands', async () => {
    const { run, receive, pass, causes } = await bench({ 'backends.gpu.timeout_ms': '400' });
    run(100_000, 200);
    receive(100_195);
    await settled();
    pass(401);
    expect(causes()).toEqual(['1 no_answer']);
  });

  it('drains by the machine while the clock stands', async () => {
    const { service, run, receive, pass, causes } = await bench({ drain_timeout_ms: '300' });
    run(100_000, 200);
    receive(100_195);
    await settled();
    const drained = service.deactivate();
    pass(301);
    expect(await drained).toBe(false);
    expect(causes()).toEqual(['1 drain_limit']);
  });

  it('learns what a call ran for, and nothing of the pause it ran into', async () => {
    const { run, receive, end, pass, service, outcomes } = await bench({ 'streams.front.contract.max_age_ms': '1000' });
    for (let round = 0; round < 40; round += 1) {
      run(100_000 + round * 1000, 200, 2);
      receive(100_390 + round * 1000);
      await settled();
      pass(50); // stands since the first 5 ms of these
      await end(round);
    }
    expect(outcomes.every(({ cause, serviceUs }) => cause === 'delivered' && (serviceUs ?? 0) <= 20_000)).toBe(true);
    expect(service.status().streams[0]?.profile).toBe('measured');
    // 100 ms of the clock, and the margin.
    run(150_000, 200, 2);
    receive(150_390);
    expect(await service.explain('41')).toContain('planned 110.0 ms');
  });

  it('ends what waits when the clock jumps back, lets what runs end, and takes earlier stamps again', async () => {
    const { run, receive, end, causes, tick, service } = await bench();
    run(100_000, 200);
    receive(100_190);
    receive(100_195);
    tick(50_000);
    expect(causes()).toEqual(['2 clock_jump']);
    expect(service.status().streams[0]?.ageMinUs).toBeUndefined();
    await end(0);
    receive(49_990);
    await end(1);
    expect(causes()).toEqual(['2 clock_jump', '1 delivered', '3 delivered']);
    expect(service.status().streams[0]?.ageMinUs).toBe(10_000);
  });

  it('lets what waits grow old by a leap ahead', async () => {
    const { run, receive, causes, tick, pass } = await bench();
    run(100_000, 200);
    receive(100_190);
    receive(100_195);
    tick(130_000);
    pass(1);
    expect(causes()).toEqual(['2 expired_waiting']);
  });

  it('tells frames apart that come while the clock stands', async () => {
    const { run, receive, causes, end, pass } = await bench({ 'streams.front.stamp_source': 'receive' });
    run(100_000, 200);
    pass(1000);
    for (let i = 0; i < 3; i += 1) {
      receive(0);
      await settled();
      await end(i);
    }
    expect(causes()).toEqual(['1 delivered', '2 delivered', '3 delivered']);
  });

  it('reports silence while the clock stands', async () => {
    const { run, receive, pass, end, service } = await bench({ 'streams.front.contract.period_ms': '33' });
    run(100_000, 200);
    receive(100_195);
    await end(0);
    service.diagnostics();
    pass(5000);
    const report = service.diagnostics().find(({ name }) => name === 'governor: stream front');
    expect(report?.message).toBe('No data since 5.0 s.');
  });

  it('counts cycles that are declared in ROS time from where that begins', async () => {
    const { tick, service, run } = await bench({
      'streams.front.contract.extension.consumer_period_ms': '100',
      'streams.front.contract.extension.phase_ms': '0',
      'streams.front.contract.extension.miss_budget.max_misses': '50',
      'streams.front.contract.extension.miss_budget.window_cycles': '100',
      'streams.front.contract.extension.miss_budget.max_consecutive': '50',
    });
    const misses = () => service.status().streams[0]?.weaklyHardMisses;
    tick(5050);
    run(5050, 40);
    expect(misses()).toBe(0);
    run(5090, 20);
    expect(misses()).toBe(1);
    tick(3020);
    run(3020, 70);
    expect(misses()).toBe(0);
    run(3090, 20);
    expect(misses()).toBe(1);
  });
});

it('what was recorded under a clock that pauses, jumps and leaps is decided again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-clock-'));
  try {
    const file = path.join(folder, 'run.trace');
    const { service, run, receive, end, pass, tick, causes } = await bench({ 'trace.file': file });
    for (let round = 0; round < 6; round += 1) {
      run(100_000 + round * 1000, 200, 2);
      receive(100_390 + round * 1000);
      await settled();
      pass(50);
      receive(100_395 + round * 1000);
      if (round % 2 === 1) tick(round === 3 ? 200_000 : 1000 * (7 - round));
      await end(round);
    }
    expect(causes().join()).toMatch(/clock_jump/);
    await service.cleanup();
    opened.length = 0;
    expect(readFileSync(file, 'utf8')).toMatch(/"ran":\{/);
    expect(await verifyTrace(file)).toMatchObject({ difference: undefined });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a step of the time of the day, without use_sim_time', () => {
  async function run(stepMs: number) {
    const machine = new ManualClock();
    const { receive, end, outcomes } = await serve(machine, { 'streams.front.contract.max_age_ms': '60' });
    const nowMs = (stepped: boolean) => 1_790_000_000_000 + (machine.now() - CLOCK_ORIGIN_US) / 1000 + (stepped ? stepMs : 0);
    const take = (stepped: boolean) => receive(nowMs(stepped) - 5, BigInt(nowMs(stepped)) * 1_000_000n);
    take(false);
    machine.moveTo(10);
    take(false);
    machine.moveTo(20); // here it is set
    await end(0);
    machine.moveTo(30);
    take(true);
    await end(1);
    machine.moveTo(50);
    await end(2);
    return outcomes.map(({ request, cause, ageUs, waitingUs, serviceUs }) => ({ request, cause, ageUs, waitingUs, serviceUs }));
  }

  it.each([-3_600_000, -5000, -1, 1, 5000, 3_600_000])('by %d ms changes nothing in flight', async (stepMs) => {
    const undisturbed = await run(0);
    expect(undisturbed.map(({ cause }) => cause)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(await run(stepMs)).toEqual(undisturbed);
  });
});
