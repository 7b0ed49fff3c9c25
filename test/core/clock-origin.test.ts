import { describe, expect, test } from 'vitest';
import type { Action, Why } from '../../src/core/actions.js';
import type { Contract, CoreConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { type Micros, micros, plus } from '../../src/core/units.js';
import { POLICIES } from './policies.js';
import { forEverySequence, play, TIMEOUT_MS } from './sequences.js';

/** An hour and a bit. */
const SHIFT_US = micros(3_649_437_519);
const INSTANTS = ['startUs', 'expectedUs', 'waitUntilUs'] as const satisfies readonly (keyof Why)[];

describe.each(POLICIES)('$name', (policy) => {
  test(
    'decisions do not depend on where the clock began',
    () => {
      forEverySequence(policy, 200, (configuration, steps, late) => {
        const world = play(configuration, steps, late);
        const core = new DecisionCore(laterConfiguration(configuration));
        const told = world.handed.flatMap(({ at, event }) => {
          const actions = core.handle(laterEvent(event), plus(at, SHIFT_US));
          return actions.map((action) => ({ at, action: earlierAction(action) }));
        });
        expect(told).toEqual(world.told);
      });
    },
    TIMEOUT_MS,
  );
});

/** The consumer's clock is a part of the configuration. */
function laterConfiguration(configuration: CoreConfiguration): CoreConfiguration {
  return { ...configuration, streams: configuration.streams.map((stream) => ({ ...stream, contract: laterContract(stream.contract) })) };
}

function laterContract(contract: Contract): Contract {
  return contract.phaseUs === undefined ? contract : { ...contract, phaseUs: plus(contract.phaseUs, SHIFT_US) };
}

function laterEvent(event: CoreEvent): CoreEvent {
  if (event.type === 'counter' || event.type === 'witness') return { ...event, polledUs: plus(event.polledUs, SHIFT_US) };
  if (event.type === 'arrival') return { ...event, capture: plus(event.capture, SHIFT_US) };
  if (event.type !== 'reconfigure') return event;
  return { ...event, contracts: event.contracts.map(({ stream, contract }) => ({ stream, contract: laterContract(contract) })) };
}

function earlierAction(action: Action): Action {
  if (action.type === 'wake') return { ...action, at: earlier(action.at) };
  if (!('why' in action) || action.type === 'level' || action.type === 'violation') return action;
  const instants = INSTANTS.flatMap((key) => (action.why[key] === undefined ? [] : [[key, earlier(action.why[key])]]));
  return { ...action, why: { ...action.why, ...Object.fromEntries(instants) } };
}

function earlier(at: Micros): Micros {
  return micros(at - SHIFT_US);
}
