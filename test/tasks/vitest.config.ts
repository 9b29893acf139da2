import { defineConfig } from 'vitest/config';

// Dozens of processes are started and killed, which takes minutes: `npm run kills`, not part of `npm test`.
export default defineConfig({
  test: {
    include: ['test/tasks/*.check.ts'],
    testTimeout: 300_000,
    maxWorkers: 1,
  },
});
