import { agentsMissing } from '../test/agents/availability.ts'
import { chromium, postgresBinaries, program } from '../test/support/machine.ts'

export interface Suite {
  name: string
  /** The project of vitest.config.ts that holds its files. */
  project: string
  about: string
  /** The command that runs only this suite. */
  command: string
  /** Whether plain `npm test` includes the suite. */
  quick: boolean
  environment: Record<string, string>
  /** The reason why the suite cannot run on this machine, with the package to install, or null. */
  missing: string | null
  /** Installs further dependencies; resolves with the reason why the suite still cannot run here, or null. */
  prepare?: () => Promise<string | null>
  /** Programs that this machine lacks, for lack of which some of the suite's tests skip themselves. */
  lacks?: string | null
}

export const suites: readonly Suite[] = [
  {
    name: 'unit',
    project: 'unit',
    about: 'quick tests in one process, on SQLite',
    command: 'npm run test -- unit',
    quick: true,
    environment: { AGENCY_TEST_STORE: 'sqlite' },
    missing: null,
  },
  {
    name: 'process',
    project: 'unit',
    about: 'tests that start agents, git, boxes and shells, the simulation and the fuzzer, on SQLite',
    command: 'npm run test -- process',
    quick: true,
    environment: { AGENCY_TEST_STORE: 'sqlite' },
    missing: null,
    lacks: lacking(['zsh', 'fish']),
  },
  {
    name: 'postgres',
    project: 'unit',
    about: 'every test that uses the store, on a PostgreSQL cluster of its own',
    command: 'npm run test:postgres',
    quick: true,
    environment: { AGENCY_TEST_STORE: 'postgres' },
    missing: postgresBinaries() ? null : 'no PostgreSQL server programs found (Debian: apt-get install postgresql)',
  },
  {
    name: 'e2e',
    project: 'e2e',
    about: 'the built and the installed program, the dashboard in a browser',
    command: 'npm run e2e',
    quick: true,
    environment: {},
    missing: null,
    lacks: chromium()
      ? null
      : 'no Chromium found, so no test in a browser (Debian: apt-get install chromium, or set CHROMIUM)',
  },
  {
    name: 'agents',
    project: 'agents',
    about: 'Claude Code itself in its box, against a scripted model; installs it into a cache',
    command: 'npm run test:agents',
    quick: false,
    environment: {},
    missing: null,
    prepare: agentsMissing,
  },
  {
    name: 'chaos',
    project: 'chaos',
    about: 'kills the daemon at many points and checks its recovery; takes minutes',
    command: 'npm run test:chaos',
    quick: false,
    environment: {},
    missing: null,
  },
]

function lacking(programs: string[]): string | null {
  const missing = programs.filter((name) => program(name) === null)
  return missing.length > 0 ? `not found here: ${missing.join(', ')}; the tests that use them are skipped` : null
}
