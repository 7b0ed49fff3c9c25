import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Lifecycle, type LifecycleWork, type Transition } from '../../src/ros/lifecycle.js';
import { OperatorLog } from '../../src/ros/operator-log.js';

const AFTER: Readonly<Record<Transition, string>> = {
  configure: 'inactive',
  activate: 'active',
  deactivate: 'inactive',
  cleanup: 'unconfigured',
  shutdown: 'finalized',
};

const NOTHING: LifecycleWork = {
  configure: async () => {},
  activate: async () => {},
  deactivate: async () => {},
  cleanup: async () => {},
  shutdown: async () => {},
};

interface Bench {
  readonly lifecycle: Lifecycle;
  /** Transitions as ROS sees them. */
  readonly applied: string[];
}

function bench(work: Partial<LifecycleWork>, apply?: () => void, log = pino({ level: 'silent' })): Bench {
  let state = 'unconfigured';
  const applied: string[] = [];
  const machine = {
    state: () => state,
    apply: (transition: Transition, succeeded: boolean) => {
      apply?.();
      applied.push(`${transition} ${succeeded}`);
      if (succeeded) state = AFTER[transition];
    },
  };
  return { lifecycle: new Lifecycle(machine, { ...NOTHING, ...work }, log), applied };
}

/** A promise to settle by hand. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('Lifecycle', () => {
  it('goes through all states and back', async () => {
    const { lifecycle } = bench({});
    const states: string[] = [];
    for (const transition of ['configure', 'activate', 'deactivate', 'cleanup', 'shutdown'] as const) {
      expect(await lifecycle.request(transition)).toBe(true);
      states.push(lifecycle.state());
    }
    expect(states).toEqual(['inactive', 'active', 'inactive', 'unconfigured', 'finalized']);
  });

  it('changes the state only when the work is done', async () => {
    const { opened, open } = gate();
    const { lifecycle, applied } = bench({ configure: () => opened });
    const done = lifecycle.request('configure');
    await new Promise(setImmediate);
    expect([lifecycle.state(), applied]).toEqual(['unconfigured', []]);
    open();
    expect(await done).toBe(true);
    expect(applied).toEqual(['configure true']);
  });

  it('does one transition at a time, in the order of the requests', async () => {
    const { opened, open } = gate();
    const { lifecycle, applied } = bench({ configure: () => opened });
    const answers = Promise.all([lifecycle.request('configure'), lifecycle.request('activate'), lifecycle.request('shutdown')]);
    open();
    expect(await answers).toEqual([true, true, true]);
    expect(applied).toEqual(['configure true', 'activate true', 'shutdown true']);
  });

  it('refuses a transition that the state does not allow, and does not work for it', async () => {
    let worked = 0;
    const { lifecycle, applied } = bench({
      activate: async () => {
        worked += 1;
      },
    });
    expect(await lifecycle.request('activate')).toBe(false);
    expect([worked, applied]).toEqual([0, []]);
  });

  it('stays in its state when the work fails, and can try again', async () => {
    let broken = true;
    const configure = async () => {
      if (broken) throw new Error('port taken');
    };
    const { lifecycle, applied } = bench({ configure });
    expect(await lifecycle.request('configure')).toBe(false);
    expect([lifecycle.state(), applied]).toEqual(['unconfigured', ['configure false']]);
    broken = false;
    expect(await lifecycle.request('configure')).toBe(true);
  });

  it('ends on shutdown even when its work fails', async () => {
    const { lifecycle } = bench({ shutdown: () => Promise.reject(new Error('server away')) });
    await lifecycle.request('shutdown');
    expect(lifecycle.state()).toBe('finalized');
    expect(await lifecycle.request('configure')).toBe(false);
  });

  it('ends on cleanup even when its work fails: what runs no longer cannot be used again', async () => {
    const { lifecycle } = bench({ cleanup: () => Promise.reject(new Error('server away')) });
    await lifecycle.request('configure');
    await lifecycle.request('cleanup');
    expect(lifecycle.state()).toBe('unconfigured');
    expect(await lifecycle.request('configure')).toBe(true);
  });

  it('goes on after a state machine that threw', async () => {
    let throws = true;
    const { lifecycle } = bench({}, () => {
      if (throws) throw new Error('no such transition');
    });
    expect(await lifecycle.request('configure')).toBe(false);
    throws = false;
    expect(await lifecycle.request('configure')).toBe(true);
  });

  it('says each request, however often it comes', async () => {
    const said: string[] = [];
    const operatorLog = new OperatorLog('info');
    const say = (text: string): void => void said.push(text);
    operatorLog.attach({ info: say, warn: say, error: say });
    const { lifecycle } = bench({ configure: () => Promise.reject(new Error('port taken')) }, undefined, operatorLog.logger);
    for (const transition of ['configure', 'configure', 'activate', 'activate'] as const) await lifecycle.request(transition);
    const [failed, notPossible] = ['the transition failed: port taken', 'this transition is not possible from this state'];
    expect(said.map((text) => text.split(' (', 1)[0])).toEqual([failed, failed, notPossible, notPossible]);
  });

  it('refuses requests beyond a limit while one is under way', async () => {
    const { opened, open } = gate();
    const { lifecycle } = bench({ configure: () => opened });
    const answers = Array.from({ length: 20 }, () => lifecycle.request('configure'));
    expect(await Promise.race([answers[19], answers[0]])).toBe(false);
    open();
    expect(await Promise.all(answers)).toEqual([true, ...Array.from({ length: 19 }, () => false)]);
  });
});
