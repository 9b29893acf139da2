import { defineConfig } from 'vitest/config';
import { MOCKING, SHARED, SLOW } from './test/settings.js';

/** `npm test`. `npm run test:slow` runs the tests that are left out here. */
export default defineConfig({
  test: {
    ...SHARED,
    // Each worker loads the modules of the gate and of an SDK once, so there are as many as cores.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED.exclude, ...SLOW, ...MOCKING],
          // Most files import the whole gate and an SDK. Loading modules once per worker instead of once per file takes a
          // third of the time. No other test depends on the state of modules.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
    ],
  },
});
