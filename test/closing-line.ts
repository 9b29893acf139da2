import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one line for people and scripts: "N passed, N failed". */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++;
      // A file that cannot be loaded has no tests, but it is a failure.
      if (!module.ok() && [...module.children.allTests('failed')].length === 0) count.failed++;
    }
    const skipped = count.skipped + count.pending;
    console.log(
      `\n${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    );
  }
}
