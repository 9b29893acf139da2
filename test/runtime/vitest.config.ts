import { defineConfig } from 'vitest/config';

/** `npm run runtime`: apart from `npm test`, because the runtime client is compiled when it is installed. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/runtime/*.check.ts'],
    testTimeout: 60_000,
    // Installing compiles curl and the client: 40 s, minutes on a loaded machine.
    hookTimeout: 900_000,
    // The times are printed as they are, without a heading.
    disableConsoleIntercept: true,
    reporters: ['verbose', './test/closing-line.ts'],
  },
});
