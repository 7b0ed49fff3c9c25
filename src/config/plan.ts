/** Whether a configuration that is right in itself can be kept (rules.md 13): before the node starts, and when a contract changes. */
import { checkPlan, type PlanFinding } from '../core/plan-checks.js';
import { toCoreConfiguration, withUnverifiedProfiles } from './core-configuration.js';
import { ConfigurationError, formatProblem, type Problem } from './problem.js';
import type { Configuration } from './validate.js';

/** @throws {ConfigurationError} `invalid`, with everything that cannot work. */
export function refuseHopeless(configuration: Configuration): void {
  const problems = findings(configuration, 'fail');
  if (problems.length > 0) throw new ConfigurationError('invalid', problems);
}

/** What may not work, one line each. */
export function planWarnings(configuration: Configuration): string[] {
  return findings(configuration, 'warn').map(formatProblem);
}

function findings({ parameters, placeOf }: Configuration, severity: PlanFinding['severity']): Problem[] {
  const plan = checkPlan(withUnverifiedProfiles(toCoreConfiguration(parameters)));
  return plan
    .filter((finding) => finding.severity === severity)
    .map(({ about, text }) => {
      const path = pathOf(about);
      const place = placeOf(path);
      return { ...(place === undefined ? {} : { place }), key: path.join('.'), text };
    });
}

function pathOf(about: PlanFinding['about']): readonly string[] {
  return 'stream' in about ? ['streams', about.stream, 'contract'] : ['backends', about.backend];
}
