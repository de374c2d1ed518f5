import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification, type TestUserConfig } from 'vitest/node'

import { reportPath, reportsVariable, suiteVariable, unhandledPath } from './scripts/report.ts'
import { unhandledErrors } from './scripts/unhandled-errors.ts'
import { filesOnPostgres } from './test/support/store-files.ts'
import { postgresFiles, processFiles } from './test/support/suite-files.ts'

const globalSetup = ['test/support/memory.setup.ts', 'test/support/postgres.setup.ts']
/** Suites that start hundreds of daemons start them from a bundle that is built once. */
const withBuild = [...globalSetup, 'test/support/bundle.setup.ts']

/** Long enough for a busy machine; a passing test never waits that long. */
const patient = { poll: { timeout: 60_000, interval: 50 } }

/** In CI one run of thousands of cases with real processes counts for everyone: a failed case is retried once. */
const retry = process.env['CI'] === undefined ? 0 : 1

/** One file per core at a time: most cases wait for processes and sockets now and then. */
const maxWorkers = availableParallelism()

const unit = [
  'src/**/*.test.ts',
  'scripts/*.test.ts',
  'test/*.test.ts',
  'test/attacks/**/*.test.ts',
  'test/liars/**/*.test.ts',
  'test/sim/**/*.test.ts',
  'test/support/**/*.test.ts',
  'web/**/*.test.{ts,tsx}',
]
/**
 * `unit` and `process` are suites of one project, so that `--project unit <file>` plays any of their files. Only
 * `scripts/test.ts` separates them.
 */
const suite = process.env[suiteVariable]
const slow = processFiles(import.meta.dirname, unit)

/** The suite on PostgreSQL plays only the files that use the store. */
const isOnPostgresAlone = process.env['AGENCY_TEST_STORE'] === 'postgres'
const onPostgres = (): string[] =>
  filesOnPostgres(import.meta.dirname, ['src', 'test', 'web']).filter((path) => /\.test\.tsx?$/.test(path))

export default defineConfig({
  test: {
    // Enough time to remove the files and processes that a suite leaves behind.
    teardownTimeout: 120_000,
    reporters: reporters(),
    sequence: { sequencer: longestFirst() },
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: isOnPostgresAlone ? onPostgres() : suite === 'process' ? slow : unit,
          exclude: [
            ...configDefaults.exclude,
            'test/e2e/**',
            'test/chaos/**',
            'test/agents/**',
            ...(suite === 'unit' ? slow : []),
            ...(process.env['AGENCY_TEST_STORE'] === 'sqlite' ? postgresFiles(import.meta.dirname, unit) : []),
          ],
          // Importing the product takes longer than most files of `unit`, which have no global state: once per worker.
          isolate: suite !== 'unit',
          maxWorkers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patient,
          retry,
        },
      },
      {
        test: {
          name: 'e2e',
          globalSetup: withBuild,
          include: ['test/e2e/**/*.test.ts'],
          maxWorkers,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
          retry,
        },
      },
      {
        // The real coding agents against a scripted model; each file has daemons and agents of its own.
        test: {
          name: 'agents',
          globalSetup: [...withBuild, 'test/agents/agents.setup.ts'],
          include: ['test/agents/**/*.test.ts'],
          maxWorkers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: patient,
          retry,
        },
      },
      {
        // No retry: a case that fails once has found a fault that occurs once in many crashes.
        test: {
          name: 'chaos',
          globalSetup: withBuild,
          include: ['test/chaos/**/*.test.ts'],
          maxWorkers,
          testTimeout: 600_000,
          hookTimeout: 240_000,
          expect: patient,
          retry: 0,
        },
      },
    ],
  },
})

/** Adds the reporters whose files `scripts/test.ts` reads after the run. */
function reporters(): NonNullable<TestUserConfig['reporters']> {
  const folder = process.env[reportsVariable]
  if (folder === undefined || suite === undefined) return ['default']
  const json = ['json', { outputFile: reportPath(folder, suite) }] as const
  return ['default', [...json], unhandledErrors(unhandledPath(folder, suite))]
}

/** Starts the longest files first, so that a short file ends last; the other files keep vitest's order. */
function longestFirst(): typeof BaseSequencer {
  const long = [
    'sim.test.ts',
    'fuzz.test.ts',
    'chaos-points.test.ts',
    'organisation.test.ts',
    'dashboard-access.test.ts',
  ]
  const rank = ({ moduleId }: TestSpecification): number => {
    const found = long.findIndex((name) => moduleId.endsWith(`/${name}`))
    return found === -1 ? long.length : found
  }
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
    }
  }
}
