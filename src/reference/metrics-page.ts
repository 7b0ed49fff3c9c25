import { Counter, Gauge, Registry } from 'prom-client';
import type { MetricsPage } from '../telemetry/metrics-server.js';
import type { ModelRunner } from './model-runner.js';
import type { Models } from './models.js';

/** The part of Triton's metrics page that tells how much runs, waits and has ended, under Triton's names. */
export function metricsPage(models: Models): MetricsPage {
  const registry = new Registry();
  const metric = (kind: typeof Counter | typeof Gauge, name: string, help: string, value: (runner: ModelRunner) => number) =>
    new kind({
      name,
      help,
      labelNames: ['model', 'version'],
      registers: [registry],
      collect() {
        this.reset();
        for (const runner of models.list()) this.inc({ model: runner.model.name, version: runner.model.version }, value(runner));
      },
    });
  metric(Counter, 'nv_inference_request_success', 'Requests that were executed', (runner) => runner.success.count);
  metric(Counter, 'nv_inference_request_failure', 'Requests whose execution failed', (runner) => runner.fail.count);
  metric(Counter, 'nv_inference_count', 'Inferences performed', (runner) => runner.success.count);
  metric(Counter, 'nv_inference_exec_count', 'Executions of the model', (runner) => runner.success.count);
  metric(Gauge, 'nv_inference_pending_request_count', 'Requests that wait for an instance', (runner) => runner.pending);
  return { contentType: registry.contentType, page: () => registry.metrics() };
}
