import { defineConfig } from 'vitest/config';

/**
 * The tests that Stryker runs against changed files of the engine, of the policy check and of the gate. They start no processes and
 * need no build. For a quick look at one file, `MUTATION_TESTS` takes a glob of fewer tests.
 */
export default defineConfig({
  test: {
    root: '.',
    include: [process.env.MUTATION_TESTS ?? 'test/{engine,policy,property,protocol}/**/*.test.ts'],
    // Left out: tests in child processes, which load no changed file; slow tests of documents, of paging and of messages.
    exclude: [
      'test/policy/{yaml,docs,schema}.test.ts',
      'test/property/paging.test.ts',
      'test/protocol/fuzz.test.ts',
    ],
    // Counting each branch makes these too slow for their limits.
    testNamePattern: /^(?!.*\blinear\b)/,
    setupFiles: ['./test/mutation/limits.ts'],
    testTimeout: 60_000,
  },
});
