/** What a contract may not say, whatever model keeps it (rules.md 13). Keys are those of the parameters. */
import { isGuarded, type StreamConfiguration } from './configuration.js';
import { MAX_WINDOW_CYCLES } from './miss-budget.js';

export interface ContractFault {
  /** Below `contract`. */
  readonly key: readonly string[];
  /** What is wrong and what would be right. */
  readonly text: string;
}

export function contractFaults(stream: Pick<StreamConfiguration, 'class' | 'queue' | 'contract'>): ContractFault[] {
  return [...budgetFaults(stream), ...cycleFaults(stream), ...semanticsFaults(stream), ...floorFaults(stream)];
}

function* budgetFaults({ contract: { missBudget, consumerPeriodUs } }: Pick<StreamConfiguration, 'contract'>): Generator<ContractFault> {
  if (missBudget === undefined) return;
  const { maxMisses, windowCycles, maxConsecutive } = missBudget;
  const at = (key: string) => ['extension', 'miss_budget', key];
  if (consumerPeriodUs === undefined) {
    yield { key: ['extension', 'miss_budget'], text: 'counts cycles of the consumer; give extension.consumer_period_ms too' };
  }
  if (windowCycles < 1 || windowCycles > MAX_WINDOW_CYCLES) {
    yield { key: at('window_cycles'), text: `${windowCycles} cycles; expected 1 to ${MAX_WINDOW_CYCLES}` };
  }
  if (maxMisses >= windowCycles) {
    yield { key: at('max_misses'), text: `${maxMisses} of ${windowCycles} cycles binds nothing; expected less than window_cycles` };
  }
  if (maxConsecutive > maxMisses) {
    yield {
      key: at('max_consecutive'),
      text: `${maxConsecutive} in a row of at most ${maxMisses} binds nothing; expected at most max_misses`,
    };
  }
}

function* cycleFaults({ contract }: Pick<StreamConfiguration, 'contract'>): Generator<ContractFault> {
  if (contract.consumerPeriodUs !== undefined) return;
  const needs = 'needs the cycles of the consumer; give extension.consumer_period_ms too';
  if (contract.deliveryBoundary === 'consumer') yield { key: ['extension', 'delivery_boundary'], text: `consumer ${needs}` };
  if (contract.phaseUs !== undefined) yield { key: ['extension', 'phase_ms'], text: needs };
  if (contract.requireNewSampleEachCycle) yield { key: ['extension', 'require_new_sample_each_cycle'], text: needs };
}

function* semanticsFaults({ contract, queue }: Pick<StreamConfiguration, 'contract' | 'queue'>): Generator<ContractFault> {
  const semantics = contract.deliverySemantics ?? 'latest_state';
  if (semantics === 'latest_state' || queue.policy !== 'latest') return;
  yield {
    key: ['extension', 'delivery_semantics'],
    text: `${semantics} must not skip frames, and queue.policy is latest; expected fifo or never_drop there`,
  };
}

function* floorFaults({
  contract: { minRuntime },
  class: streamClass,
}: Pick<StreamConfiguration, 'contract' | 'class'>): Generator<ContractFault> {
  if (minRuntime === undefined) return;
  if (isGuarded(streamClass)) {
    yield { key: ['min_runtime'], text: `is for class best_effort and normal; class ${streamClass} goes before them anyhow` };
  }
  if (minRuntime.budgetUs > minRuntime.windowUs) {
    yield {
      key: ['min_runtime', 'budget_ms'],
      text: `${minRuntime.budgetUs / 1000} of ${minRuntime.windowUs / 1000} ms; expected at most window_ms`,
    };
  }
}
