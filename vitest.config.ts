import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    globalSetup: './test/scratch.ts',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/live/**'],
          sequence: { groupOrder: 0 },
          maxWorkers: availableParallelism(), // else one core is left out, half of a small machine
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'live',
          include: ['test/live/**/*.test.ts'],
          setupFiles: ['test/live/domain.ts'],
          pool: 'forks', // rclnodejs aborts in worker threads
          sequence: { groupOrder: 1 }, // after the unit tests, and
          fileParallelism: false, // one file at a time: another's load would show in its ages
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
