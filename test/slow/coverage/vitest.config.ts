import { defineConfig } from 'vitest/config';
import { SHARED, SLOW } from '../../settings.js';

/**
 * Fails if the tests run less of `src/core/engine`, `src/core/wire` and `src/core/gate` than these thresholds, in percent.
 * Tests that start other processes are left out: what runs there does not count.
 */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['test/{engine,analysis,property,policy,wire,gate,behavior,session,client,http}/**/*.test.ts'],
    exclude: [...SHARED.exclude, ...SLOW],
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/core/engine/**/*.ts', 'src/core/wire/**/*.ts', 'src/core/gate/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportsDirectory: 'build/coverage',
      thresholds: {
        'src/core/engine/**/*.ts': { statements: 99, branches: 97, functions: 98, lines: 99 },
        'src/{wire,gate}/**/*.ts': { statements: 95, branches: 92, functions: 94, lines: 96 },
      },
    },
  },
});
