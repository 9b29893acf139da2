import { defineConfig } from 'vitest/config';
import { SHARED, SLOW } from './test/settings.js';

/** `npm test`. `npm run test:slow` runs the tests that are left out here. */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['test/**/*.test.ts'],
    exclude: [...SHARED.exclude, ...SLOW],
    maxWorkers: 2,
    // Most files import the whole gate and an SDK. Loading modules once per worker instead of once per file takes a third of
    // the time. No test depends on the state of modules.
    isolate: false,
  },
});
