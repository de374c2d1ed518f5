import { defineConfig } from 'vitest/config'

const globalSetup = ['test/support/postgres.setup.ts']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          testTimeout: 20_000,
        },
      },
      {
        // One file at a time: each starts daemons, browsers or package managers of its own.
        test: {
          name: 'e2e',
          globalSetup,
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'chaos',
          globalSetup,
          include: ['test/chaos/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
