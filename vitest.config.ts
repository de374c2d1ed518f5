import { defineConfig } from 'vitest/config'

const globalSetup = ['test/support/postgres.setup.ts']
/** Browsers, daemons and package managers on a busy machine: in CI a case counts as failed when it fails three times. */
const retry = process.env['CI'] === undefined ? 0 : 2

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          testTimeout: 20_000,
          retry,
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
          retry,
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
          retry,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
