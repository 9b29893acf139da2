import { defineConfig } from 'vitest/config';

/** Runs the packaged zip under Lambda's runtime client. Not part of `npm test`, because installing that client compiles it. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/slow/runtime/*.check.ts'],
    testTimeout: 60_000,
    // Installing compiles curl and the client, which takes 40 s, and minutes on a loaded machine.
    hookTimeout: 900_000,
    // Print the times without a heading.
    disableConsoleIntercept: true,
    reporters: ['verbose', './test/closing-line.ts'],
  },
});
