import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/live/**'] } },
      {
        test: {
          name: 'live',
          include: ['test/live/**/*.test.ts'],
          setupFiles: ['test/live/domain.ts'],
          pool: 'forks', // rclnodejs aborts in worker threads
          fileParallelism: false, // two cores: another file's load would show in this file's ages
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
