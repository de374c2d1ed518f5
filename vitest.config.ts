import { defineConfig } from 'vitest/config'

const globalSetup = ['test/support/postgres.setup.ts']
/** Long enough for a machine that is busy otherwise; where all is well, nobody waits for it. */
const patient = { poll: { timeout: 60_000, interval: 50 } }

/** In CI thousands of cases with real processes run once for everybody: what fails by chance gets one more chance. */
const retry = process.env['CI'] === undefined ? 0 : 1

export default defineConfig({
  test: {
    // As long as it takes to remove what a suite on PostgreSQL leaves behind: a database of its own for each test.
    teardownTimeout: 120_000,
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: [
            'src/**/*.test.ts',
            'test/*.test.ts',
            'test/sim/*.test.ts',
            'test/support/**/*.test.ts',
            'web/**/*.test.{ts,tsx}',
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patient,
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
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
          retry,
        },
      },
      {
        test: {
          name: 'chaos',
          globalSetup,
          include: ['test/chaos/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 240_000,
          expect: patient,
          retry,
        },
      },
    ],
  },
})
