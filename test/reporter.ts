import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with `N passed, N failed`, over all projects. A file that cannot run, and a failed check before the tests, count as failed. */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = Number(process.env['VIG_FAILED_CHECKS'] ?? 0) + unhandledErrors.length;
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const failedTests = states.filter((state) => state === 'failed').length;
      passed += states.filter((state) => state === 'passed').length;
      failed += failedTests === 0 && !module.ok() ? 1 : failedTests;
    }
    if (passed + failed === 0 || failed > 0) process.exitCode = 1;
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`)); // after the other reporters
  }
}
