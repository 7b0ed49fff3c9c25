/** The policies by name (scenarios.md 2). */
import { nearestName } from '../config/nearest.js';
import type { CoreConfiguration } from '../core/configuration.js';
import { CentralQueue } from './central-queue.js';
import {
  type Ablation,
  governorConfiguration,
  scheduledBy,
  withoutFreshness,
  withoutLookAhead,
  withoutQuanta,
  withoutSupersession,
  withoutVariants,
} from './governor-configuration.js';
import { GovernorPolicy } from './governor-policy.js';
import { PerStreamClients } from './per-stream-clients.js';
import type { Policy, World } from './policy.js';
import type { Scenario } from './scenario.js';

/** Knows all runtimes beforehand: no policy, but the measure of what a policy could reach. */
export const CLAIRVOYANT = 'clairvoyant';

const FIFO = /^fifo-([1-9]\d{0,3})$/;
const MAX_FIFO = 9999;
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
  'governor-ordered': scheduledBy('ordered'),
  'governor-planned': scheduledBy('planned'),
  'governor-no-lookahead': withoutLookAhead,
  'governor-no-freshness': withoutFreshness,
  'governor-no-variants': withoutVariants,
  'governor-no-supersession': withoutSupersession,
  'governor-no-quanta': withoutQuanta,
};

const POLICY_NAMES: readonly string[] = ['fifo-N', ...Object.keys(SIMPLE), ...Object.keys(GOVERNORS), CLAIRVOYANT];

/** What is wrong with a list of policies, one line each: names that are none, and those that stand there twice. */
export function policyFaults(names: readonly string[]): string[] {
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...unknownPolicies([...new Set(names)]), ...[...repeated].map((name) => `"${name}" stands twice; name each policy once`)];
}

/** One line for each name that is no policy. */
function unknownPolicies(names: readonly string[]): string[] {
  return names
    .filter((name) => name !== CLAIRVOYANT && factoryOf(name) === undefined)
    .map((name) => `"${name}" is no policy; ${remedyFor(name)}`);
}

function remedyFor(name: string): string {
  if (/^fifo/.test(name)) return `the N of fifo-N is a number from 1 to ${MAX_FIFO}, for instance fifo-1`;
  const nearest = nearestName(name, POLICY_NAMES);
  return nearest === undefined ? `expected some of ${POLICY_NAMES.join(', ')}` : `did you mean ${nearest}?`;
}

/** @throws {RangeError} for a name that `policyFaults` would refuse, and for the clairvoyant. */
export function createPolicy(name: string, world: World): Policy {
  const create = factoryOf(name);
  if (create === undefined) throw new RangeError(`"${name}" is no policy that can be run`);
  return create(world);
}

function factoryOf(name: string): ((world: World) => Policy) | undefined {
  const [, depth] = FIFO.exec(name) ?? [];
  if (depth !== undefined)
    return (world) => new CentralQueue(world, { capacity: Number(depth), order: 'class_then_arrival', sendsAhead: true, timesOut: false });
  if (Object.hasOwn(GOVERNORS, name)) return (world) => new GovernorPolicy(world, configurationOf(name, world.ledger.scenario));
  return Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
}

export function isGovernor(name: string): boolean {
  return Object.hasOwn(GOVERNORS, name);
}

/** What a governor of this name is told. @throws {RangeError} for another policy. */
export function configurationOf(name: string, scenario: Scenario): CoreConfiguration {
  const ablation = Object.hasOwn(GOVERNORS, name) ? GOVERNORS[name] : undefined;
  if (ablation === undefined) throw new RangeError(`"${name}" is no governor`);
  return ablation(governorConfiguration(scenario), scenario);
}
