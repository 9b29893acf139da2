import { defineConfig } from 'vitest/config';

/** `npm run test:install`: apart from `npm test`, because it installs packages from the npm registry. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/install/*.check.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // The sizes and the reason for skipping are printed as they are, without a heading.
    disableConsoleIntercept: true,
    reporters: ['verbose', './test/closing-line.ts'],
  },
});
