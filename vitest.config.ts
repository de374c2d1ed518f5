import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification, type TestUserConfig } from 'vitest/node'

import { reportPath, reportsVariable, suiteVariable, unhandledPath } from './scripts/report.ts'
import { unhandledErrors } from './scripts/unhandled-errors.ts'
import { filesOnPostgres } from './test/support/store-files.ts'

const globalSetup = ['test/support/memory.setup.ts', 'test/support/postgres.setup.ts']
/** Who starts daemons starts hundreds: from a bundle that is made once. */
const withBuild = [...globalSetup, 'test/support/built.setup.ts']

/** Long enough for a machine that is busy otherwise; where all is well, nobody waits for it. */
const patient = { poll: { timeout: 60_000, interval: 50 } }

/** In CI thousands of cases with real processes run once for everybody: what fails by chance gets one more chance. */
const retry = process.env['CI'] === undefined ? 0 : 1

/** Most cases wait for processes and sockets now and then: as many files at once as there are cores. */
const maxWorkers = availableParallelism()

const unit = [
  'src/**/*.test.ts',
  'scripts/*.test.ts',
  'test/*.test.ts',
  'test/sim/*.test.ts',
  'test/support/**/*.test.ts',
  'web/**/*.test.{ts,tsx}',
]
/** On PostgreSQL only what can tell the difference. */
const isOnPostgresAlone = process.env['AGENCY_TEST_STORE'] === 'postgres'
const onPostgres = (): string[] =>
  filesOnPostgres(import.meta.dirname, ['src', 'test', 'web']).filter((path) => /\.test\.tsx?$/.test(path))

export default defineConfig({
  test: {
    // As long as it takes to remove what a suite leaves behind.
    teardownTimeout: 120_000,
    reporters: reporters(),
    sequence: { sequencer: longestFirst() },
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: isOnPostgresAlone ? onPostgres() : unit,
          exclude: [...configDefaults.exclude, 'test/e2e/**', 'test/chaos/**', 'test/agents/**'],
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
        // Coding agents themselves, against a scripted model; each file has daemons and agents of its own.
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
        // Never tried again: a case that fails here once has found something that happens once in so many deaths.
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

/** `scripts/test.ts` reads afterwards what every suite has to tell. */
function reporters(): NonNullable<TestUserConfig['reporters']> {
  const folder = process.env[reportsVariable]
  const suite = process.env[suiteVariable]
  if (folder === undefined || suite === undefined) return ['default']
  const json = ['json', { outputFile: reportPath(folder, suite) }] as const
  return ['default', [...json], unhandledErrors(unhandledPath(folder, suite))]
}

/** What takes longest starts first, so that the last one to end is a short one. Elsewhere vitest's own order holds. */
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
