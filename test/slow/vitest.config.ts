import { defineConfig } from 'vitest/config';
import { LongestFirst } from '../longest-first.js';
import { GENERATED, PROCESSES, SERVERS, SHARED, SLOW } from '../settings.js';

/**
 * `npm run test:slow`. Tests that have several processes each run after the others, two at a time. CI runs `servers` and
 * `processes` in one job, and `slow` in another.
 */
export default defineConfig({
  test: {
    ...SHARED,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          exclude: [...SHARED.exclude, ...SERVERS, ...PROCESSES],
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: { name: 'servers', include: SERVERS, sequence: { groupOrder: 0 }, maxWorkers: 3 },
      },
      {
        extends: true,
        test: { name: 'processes', include: PROCESSES, sequence: { groupOrder: 1 }, maxWorkers: 2 },
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
    ],
  },
});
