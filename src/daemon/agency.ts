import { notifierName } from '../adapters/notify/contract.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { createPrices } from '../adapters/prices/genai/prices.ts'
import { type Agency, composeAgency, type Parts } from '../compose.ts'
import type { Configuration } from '../config/contract.ts'
import type { ChaosPoint } from '../kernel/chaos-point.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemIds } from '../kernel/ids.ts'
import type { Jobs } from '../jobs/queue.ts'
import {
  laterThrough,
  wakeChecks,
  wakeDecisions,
  wakeGates,
  wakeQuestions,
  wakeRuns,
  wakeSteps,
} from '../engine/loop/wakes.ts'
import { promptPath } from '../entries.ts'
import type { Org } from '../org/compose.ts'
import { findSurvivors, killSurvivors } from '../processes/survivors.ts'
import { engineAuthor } from '../repositories/author.ts'
import { snapshot, snapshotRef } from '../repositories/collect.ts'
import type { Git } from '../repositories/git.ts'
import { createMirrors } from '../repositories/mirrors.ts'
import { createRepositories } from '../repositories/repositories.ts'
import { createAttemptToken } from '../server/credentials.ts'
import type { Talent } from '../talent/service.ts'
import { createDirectoryWorkspaces } from '../workspaces/directory.ts'
import { defaultPolicy } from '../workspaces/policy.ts'
import { createAttemptFiles } from './attempt-files.ts'
import { createKeptFiles } from './kept-files.ts'
import type { BoxSetup } from './box.ts'
import type { HomePaths } from './home.ts'
import { hostChecksOf } from './host-checks.ts'
import type { Installation } from './installation.ts'
import { personaText } from './organisation.ts'
import { promptOf } from './prompts.ts'
import { createRuntimes } from './runtimes.ts'
import { readTeamFile } from './team-file.ts'
import { forgetTeamTalent } from './team-talent.ts'

export interface HomeAgencyParts {
  readonly paths: HomePaths
  readonly values: Configuration
  readonly env: Readonly<Record<string, string | undefined>>
  readonly installation: Installation
  readonly clock: Clock
  readonly chaosPoint: ChaosPoint
  readonly box: Pick<BoxSetup, 'box' | 'isRequired'>
  readonly git: Git
  readonly talent: Talent
  readonly org: Org
  readonly jobs: Jobs
  readonly notify: NonNullable<Parts['notify']>
  /** Returns the address of the server; null before it listens. */
  readonly address: () => string | null
  /** The folder in which the daemon was started; null: unknown. */
  readonly startedIn: string | null
}

/** Composes the engine and the services of a home, and connects the engine with the jobs that wake it. */
export function composeHomeAgency(parts: HomeAgencyParts): Agency {
  const { paths, values, env, clock, chaosPoint, git, talent, org, jobs, notify, address } = parts
  const { db, log, chainKey, worker } = parts.installation
  const mirrors = createMirrors({ root: join(paths.home, 'mirrors'), git, log })
  const agency = composeAgency({
    db,
    clock,
    ids: systemIds,
    log,
    chaosPoint,
    runtimes: createRuntimes(values, env),
    prices: createPrices(),
    workspaces: createDirectoryWorkspaces({
      root: paths.workspaces,
      box: parts.box.box,
      isBoxRequired: parts.box.isRequired,
      materialise: (clone, path, options) => mirrors.clone({ ...clone, author: engineAuthor }, path, options),
      setup: { ...values.setup, treeOf: mirrors.tree, log },
    }),
    repositories: createRepositories({ git, mirrors }),
    hostChecks: hostChecksOf(values),
    personaText: (personaId, { configuration }) =>
      personaText(db, org.contents, personaId, (persona) => talent.textOf(persona, configuration.team?.talent)),
    policyOf: (_run, { runtime }) => defaultPolicy(runtime, values),
    missionWorkspaces: missionWorkspacesOf(paths, git),
    files: createAttemptFiles(paths.attempts),
    kept: createKeptFiles(paths.artifacts, log),
    promptOf: (playbook, kind, phase) => promptOf(paths.home, playbook, kind, phase),
    environmentOf: (attemptId, fence) => ({
      AGENCY_SOCKET: paths.socket,
      AGENCY_TOKEN: createAttemptToken(chainKey, attemptId, fence),
    }),
    alsoSweep: async () => {
      await jobs.sweep()
      await forgetTeamTalent(db, talent, log)
    },
    notify,
    later: laterThrough(jobs),
    talent,
    ourPorts: () => portsOf(address()),
    killSurvivors: (attemptIds) => killSurvivors(attemptIds, { say: (text) => log.warn(text) }),
    listSurvivors: async () => (await findSurvivors()).map(({ launchId }) => launchId),
    worker,
    slots: values.slots,
    homeTeam: () => readTeamFile(paths.team),
    notifiers: values.notify.map(notifierName),
    defaults: defaultsOf(values),
    place: { env, home: paths.home, startedIn: parts.startedIn },
  })
  wakeGates(jobs, agency.gates)
  wakeDecisions(jobs, agency.decisions)
  wakeQuestions(jobs, agency.questions)
  wakeRuns(jobs, agency.engine)
  wakeChecks(jobs, agency.repositorySettings)
  wakeSteps(jobs, agency.runSteps)
  return agency
}

const portsOf = (address: string | null): number[] => (address === null ? [] : [Number(new URL(address).port)])

const missionWorkspacesOf = (paths: HomePaths, git: Git): Parts['missionWorkspaces'] => ({
  root: paths.workspaces,
  attempts: paths.attempts,
  reviewPrompt: () => readFileSync(promptPath('direct', 'review'), 'utf8'),
  snapshot: async (clone) => {
    const message = 'Snapshot of a workspace when it was removed'
    const commit = await snapshot(git, { ...clone, message, author: engineAuthor })
    return commit === null ? null : snapshotRef(clone.ref)
  },
  host: 'daemon',
})

/** Returns the settings of runs that state none of their own. */
const defaultsOf = (values: Configuration): Parts['defaults'] => ({
  runtime: values.defaultRuntime,
  idleMinutes: values.idleMinutes,
  hardMinutes: values.hardMinutes,
  crashRetries: values.crashRetries,
  retryBudget: values.retryBudget,
  verify: values.verify,
  verificationLimit: values.verificationLimit,
  acceptance: values.acceptance,
  onLimit: values.onLimit,
  gateTimeoutMinutes: values.gateTimeoutMinutes,
  questionReminderMinutes: values.questionReminderMinutes,
})
