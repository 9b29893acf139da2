import { defineConfig } from 'vitest/config';

/**
 * The tests that mutants of the engine and of the policy's check have to face; no processes, no builds. A glob in
 * `MUTATION_TESTS` names fewer of them, for a quick look at one file.
 */
export default defineConfig({
  test: {
    root: '.',
    include: [process.env.MUTATION_TESTS ?? 'test/{engine,policy,property}/**/*.test.ts'],
    // Child processes, which no mutant gets into; documents, which take long; the protocol's paging.
    exclude: ['test/policy/{yaml,docs,schema}.test.ts', 'test/property/paging.test.ts'],
    setupFiles: ['./test/mutation/limits.ts'],
    testTimeout: 60_000,
  },
});
