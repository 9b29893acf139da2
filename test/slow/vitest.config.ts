import { defineConfig } from 'vitest/config';
import { ENDPOINTS, GENERATED, KILLS, PACKAGING, SHARED, SLOW } from '../settings.js';

/** `npm run test:slow`. Two groups run alone: those that replace what others read, and those that need the whole machine. */
export default defineConfig({
  test: {
    ...SHARED,
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          exclude: [...SHARED.exclude, ...PACKAGING, ...KILLS, ...ENDPOINTS],
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
        test: { name: 'packaging', include: PACKAGING, sequence: { groupOrder: 3 }, maxWorkers: 1 },
      },
      {
        extends: true,
        test: { name: 'kills', include: KILLS, sequence: { groupOrder: 4 }, maxWorkers: 1 },
      },
    ],
  },
});
