import { Counter, Gauge, Registry } from 'prom-client';
import type { MetricsPage } from '../telemetry/metrics-server.js';
import type { ModelCounters } from './model-counters.js';
import type { Models } from './models.js';
import type { ServedModel } from './served-model.js';

/** The part of Triton's metrics page that tells how much runs, waits and has ended, under Triton's names. */
export function metricsPage(models: () => Models): MetricsPage {
  const registry = new Registry();
  const metric = (
    kind: typeof Counter | typeof Gauge,
    name: string,
    help: string,
    value: (page: ModelCounters, model: ServedModel) => number,
  ) =>
    new kind({
      name,
      help,
      labelNames: ['model', 'version'],
      registers: [registry],
      collect() {
        this.reset();
        for (const model of models().list()) {
          const { page, description } = model;
          if (page !== undefined) this.inc({ model: description.name, version: description.version }, value(page, model));
        }
      },
    });
  metric(Counter, 'nv_inference_request_success', 'Requests that were executed', (page) => page.success.count);
  metric(Counter, 'nv_inference_request_failure', 'Requests whose execution failed', (page) => page.fail.count);
  metric(Counter, 'nv_inference_count', 'Inferences performed', (page) => page.inferences);
  metric(Counter, 'nv_inference_exec_count', 'Executions of the model', (page) => page.executions);
  metric(Gauge, 'nv_inference_pending_request_count', 'Requests that wait for an instance', (_, model) =>
    model.runners().reduce((sum, { pending }) => sum + pending, 0),
  );
  return { contentType: registry.contentType, page: () => registry.metrics() };
}
