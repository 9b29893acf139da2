import { defineConfig } from 'vitest/config';

/** These package this project in its own folder, and replace `build/lambda`, which other tests read. */
const PACKAGING = ['test/e2e/{bundle-template,observe-template}.test.ts'];

export default defineConfig({
  test: {
    // Real servers start as child processes, which takes seconds on a loaded machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: PACKAGING,
          sequence: { groupOrder: 0 },
          // Most tests wait for child processes, so more workers than half of the cores pay.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: { name: 'packaging', include: PACKAGING, sequence: { groupOrder: 1 }, maxWorkers: 1 },
      },
    ],
  },
});
