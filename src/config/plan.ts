/** Whether a configuration that is right in itself can be kept (rules.md 13): before the node starts, and when a contract changes. */
import { checkPlan, type PlanFinding } from '../core/plan-checks.js';
import { toCoreConfiguration, withUnverifiedProfiles } from './core-configuration.js';
import { ConfigurationError, formatProblem, type Problem } from './problem.js';
import type { Parameters } from './schema.js';

/** @throws {ConfigurationError} `invalid`, with everything that cannot work. */
export function refuseHopeless(parameters: Parameters): void {
  const problems = findings(parameters, 'fail');
  if (problems.length > 0) throw new ConfigurationError('invalid', problems);
}

/** What may not work, one line each. */
export function planWarnings(parameters: Parameters): string[] {
  return findings(parameters, 'warn').map(formatProblem);
}

function findings(parameters: Parameters, severity: PlanFinding['severity']): Problem[] {
  const plan = checkPlan(withUnverifiedProfiles(toCoreConfiguration(parameters)));
  return plan.filter((finding) => finding.severity === severity).map(({ about, text }) => ({ key: keyOf(about), text }));
}

function keyOf(about: PlanFinding['about']): string {
  return 'stream' in about ? `streams.${about.stream}.contract` : `backends.${about.backend}`;
}
