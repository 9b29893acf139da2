import { beforeAll } from 'vitest';

declare global {
  /** What Stryker keeps about the changes that tests reach. */
  var __stryker__: { mutantCoverage?: { perTest: Record<string, object> } } | undefined;
}

// Stryker reads what each file reached at its end. Files share their modules here, so each would report all tests before it
// again, which takes gigabytes.
beforeAll(() => {
  const coverage = globalThis.__stryker__?.mutantCoverage;
  if (coverage !== undefined) coverage.perTest = {};
});
