import { defineConfig } from 'vitest/config';
import { ENDPOINTS, GENERATED, KILLS, SHARED, SLOW } from '../settings.js';

/** `npm run test:slow`. The tests that need the whole machine run alone. */
export default defineConfig({
  test: {
    ...SHARED,
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          exclude: [...SHARED.exclude, ...KILLS, ...ENDPOINTS],
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        // Each test has several processes of its own.
        test: { name: 'endpoints', include: ENDPOINTS, sequence: { groupOrder: 1 }, maxWorkers: 2 },
      },
      {
        extends: true,
        test: {
          name: 'generated',
          include: GENERATED,
          env: { GENERATED_INPUTS: 'all' },
          isolate: false,
          sequence: { groupOrder: 2 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: { name: 'kills', include: KILLS, sequence: { groupOrder: 3 }, maxWorkers: 1 },
      },
    ],
  },
});
