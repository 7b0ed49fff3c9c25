/** The policies by name (scenarios.md 2). */
import { nearestName } from '../config/nearest.js';
import { CentralQueue } from './central-queue.js';
import {
  type Ablation,
  governorConfiguration,
  withoutFreshness,
  withoutLookAhead,
  withoutSupersession,
  withoutVariants,
} from './governor-configuration.js';
import { GovernorPolicy } from './governor-policy.js';
import { PerStreamClients } from './per-stream-clients.js';
import type { Policy, World } from './policy.js';

/** Knows all runtimes beforehand: no policy, but the measure of what a policy could reach. */
export const CLAIRVOYANT = 'clairvoyant';

const FIFO = /^fifo-([1-9]\d{0,3})$/;
const TRITON_QUEUE = 1024;

const SIMPLE: Readonly<Record<string, (world: World) => Policy>> = {
  latest: (world) => new PerStreamClients(world),
  latest_priority: (world) => new CentralQueue(world, { order: 'class_then_arrival', sendsAhead: false, timesOut: false }),
  latest_edf: (world) => new CentralQueue(world, { order: 'deadline', sendsAhead: false, timesOut: false }),
  triton_policy: (world) =>
    new CentralQueue(world, { capacity: TRITON_QUEUE, order: 'class_then_arrival', sendsAhead: true, timesOut: true }),
};

/** The core as it is configured, in each of its scheduling policies, and without one of its means. */
const GOVERNORS: Readonly<Record<string, Ablation>> = {
  governor: (configuration) => configuration,
  'governor-ordered': (configuration) => configuration,
  'governor-no-lookahead': withoutLookAhead,
  'governor-no-freshness': withoutFreshness,
  'governor-no-variants': withoutVariants,
  'governor-no-supersession': withoutSupersession,
};

const POLICY_NAMES: readonly string[] = ['fifo-N', ...Object.keys(SIMPLE), ...Object.keys(GOVERNORS), CLAIRVOYANT];

/** One line for each name that is no policy. */
export function unknownPolicies(names: readonly string[]): string[] {
  return names
    .filter((name) => name !== CLAIRVOYANT && factoryOf(name) === undefined)
    .map((name) => {
      const nearest = nearestName(name, POLICY_NAMES);
      return `"${name}" is no policy; ${nearest === undefined ? `expected some of ${POLICY_NAMES.join(', ')}` : `did you mean ${nearest}?`}`;
    });
}

/** @throws {RangeError} for a name that `unknownPolicies` would refuse, and for the clairvoyant. */
export function createPolicy(name: string, world: World): Policy {
  const create = factoryOf(name);
  if (create === undefined) throw new RangeError(`"${name}" is no policy that can be run`);
  return create(world);
}

function factoryOf(name: string): ((world: World) => Policy) | undefined {
  const [, depth] = FIFO.exec(name) ?? [];
  if (depth !== undefined)
    return (world) => new CentralQueue(world, { capacity: Number(depth), order: 'class_then_arrival', sendsAhead: true, timesOut: false });
  const ablation = Object.hasOwn(GOVERNORS, name) ? GOVERNORS[name] : undefined;
  if (ablation !== undefined) {
    return (world) => {
      const { scenario } = world.ledger;
      return new GovernorPolicy(world, ablation(governorConfiguration(scenario), scenario));
    };
  }
  return Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
}
