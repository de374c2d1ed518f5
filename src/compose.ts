import { agentRoutes } from './work/agents/routes.ts'
import { type Agents, createAgents } from './work/agents/service.ts'
import type { Prices } from './adapters/prices/port.ts'
import type { Runtime } from './adapters/runtime/port.ts'
import { demoRoutes } from './daemon/demos/routes.ts'
import type { Demos } from './daemon/demos/service.ts'
import { daemonRoutes } from './daemon/routes.ts'
import type { DaemonService } from './daemon/service.ts'
import type { Db } from './db/port.ts'
import { applyDecisions } from './engine/outcome/decide.ts'
import type { EngineDeps } from './engine/deps.ts'
import { createKeptOutcomes } from './engine/evidence/kept-outcomes.ts'
import { createTroubles } from './engine/evidence/trouble.ts'
import { createEngine, type Engine } from './engine/loop/engine.ts'
import type { ScopeParts } from './work/scope.ts'
import type { Feed } from './events/feed.ts'
import { eventRoutes } from './events/routes.ts'
import { createEvents } from './events/service.ts'
import { jobRoutes } from './jobs/routes.ts'
import type { JobService } from './jobs/service.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Log } from './kernel/log.ts'
import type { ChaosPoint } from './kernel/chaos-point.ts'
import { notifyRoutes } from './notify/routes.ts'
import type { Notify } from './notify/service.ts'
import type { Route } from './operations/bind.ts'
import { type Org, organisationRoutesOf } from './org/compose.ts'
import type { Playbook } from './playbooks/contract.ts'
import { direct } from './playbooks/direct/decide.ts'
import { runTemplates } from './playbooks/run-templates.ts'
import { tiered } from './playbooks/tiered/decide.ts'
import { sessionRoutes } from './sessions/routes.ts'
import type { Sessions } from './sessions/service.ts'
import { castOne } from './talent/cast.ts'
import { isTalent, candidatesFor } from './talent/resolve.ts'
import { talentRoutes } from './talent/routes.ts'
import type { Talent } from './talent/service.ts'
import { readText, smallText } from './threads/read-texts.ts'
import { checkTeamTalent } from './talent/team-talent.ts'
import { TierName } from './team/contract.ts'
import { type ReadTeam, readTeam } from './team/load.ts'
import type { TeamFile } from './team/open.ts'
import { amendmentRoutes } from './work/amendments/routes.ts'
import { type Amendments, createAmendments } from './work/amendments/service.ts'
import { attemptRoutes } from './work/attempts/routes.ts'
import { type Attempts, createAttempts } from './work/attempts/service.ts'
import { briefRoutes } from './work/briefs/routes.ts'
import { type Briefs, createBriefs } from './work/briefs/service.ts'
import { decisionRoutes } from './work/decisions/routes.ts'
import { createDecisions, type DecisionService } from './work/decisions/service.ts'
import { gateRoutes } from './work/gates/routes.ts'
import { createGates, type Gates } from './work/gates/service.ts'
import { budgetRoutes } from './work/budgets/routes.ts'
import { type Budgets, createBudgets } from './work/budgets/service.ts'
import { memoryRoutes } from './memory/routes.ts'
import { createMemories, type Memories } from './memory/service.ts'
import { missionRoutes } from './work/missions/routes.ts'
import { createMissions, type Missions } from './work/missions/service.ts'
import { noteRoutes } from './work/notes/routes.ts'
import { createNotes, type Notes } from './work/notes/service.ts'
import { composerRoutes } from './work/composer/routes.ts'
import { type Composer, type ComposerPlace, createComposer } from './work/composer/service.ts'
import { planRoutes } from './work/plans/routes.ts'
import { createPlans, type Plans } from './work/plans/service.ts'
import { pullRequestRoutes } from './work/pull-requests/routes.ts'
import { createPullRequests, type PullRequests } from './work/pull-requests/service.ts'
import { questionRoutes } from './work/questions/routes.ts'
import { createQuestions, type Questions } from './work/questions/service.ts'
import type { HostChecks } from './work/repository-settings/contract.ts'
import { repositorySettingsRoutes } from './work/repository-settings/routes.ts'
import { createRepositorySettings, type RepositorySettingsService } from './work/repository-settings/service.ts'
import { proofSheetRoutes } from './work/proof-sheets/routes.ts'
import { createProofSheets, type ProofSheets } from './work/proof-sheets/service.ts'
import { reportRoutes } from './work/reports/routes.ts'
import { createReports, type Reports } from './work/reports/service.ts'
import { runResultRoutes } from './work/run-results/routes.ts'
import type { RunResultDeps } from './work/run-results/read.ts'
import { createRunResults, type RunResults } from './work/run-results/service.ts'
import { type Continuations, createContinuations } from './work/continuations/service.ts'
import { revertRoutes } from './work/reverts/routes.ts'
import { createReverts, type Reverts } from './work/reverts/service.ts'
import { repeatRoutes } from './work/repeats/routes.ts'
import { createRepeats, type Repeats } from './work/repeats/service.ts'
import { readInThread } from './work/plans/read-in-thread.ts'
import { templateRoutes } from './work/templates/routes.ts'
import { createTemplates, type Templates } from './work/templates/service.ts'
import { trustedFileRoutes } from './work/trusted-files/routes.ts'
import { createTrustedFiles, type TrustedFiles } from './work/trusted-files/service.ts'
import { runRoutes } from './work/runs/routes.ts'
import { createRuns, type RunDefaults, type Runs } from './work/runs/service.ts'
import { spendRoutes } from './work/spends/routes.ts'
import { createSpends, type Spends } from './work/spends/service.ts'
import { stopRoutes } from './work/stops/routes.ts'
import { createStops, type Stops } from './work/stops/service.ts'
import { createPrintedFiles } from './work/mission-workspaces/executions/output.ts'
import { releaseLeftBehind } from './work/mission-workspaces/executions/queue.ts'
import { executionRoutes } from './work/mission-workspaces/executions/routes.ts'
import { createRunSteps, type RunSteps, type StepHandlers } from './work/run-steps/apply.ts'
import { executionSteps } from './work/mission-workspaces/executions/findings.ts'
import { createExecutions, type Executions } from './work/mission-workspaces/executions/service.ts'
import { createTurns } from './work/mission-workspaces/executions/turns.ts'
import { observeRuntime } from './engine/attempt/observe.ts'
import { workspaceRoutes } from './work/mission-workspaces/routes.ts'
import {
  createMissionWorkspaces,
  type MissionWorkspaces,
  type WorkspaceDeps,
} from './work/mission-workspaces/service.ts'
import { createWorkspaceTree } from './work/mission-workspaces/tree.ts'
import type { Workspaces } from './workspaces/port.ts'
import { artifactRoutes } from './work/artifacts/routes.ts'
import { type Artifacts, createArtifacts } from './work/artifacts/service.ts'
import type { KeptFiles } from './work/artifacts/kept-files.ts'
import type { AttemptFiles } from './work/attempts/files.ts'

/** The parts that differ between a daemon, a simulation and a benchmark. */
export interface Parts {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  chaosPoint: ChaosPoint
  runtimes: readonly Runtime[]
  prices?: Prices
  workspaces: Workspaces
  repositories?: EngineDeps['repositories']
  /** The commands that the configuration allows outside any box, by repository. */
  hostChecks?: ReadonlyMap<string, HostChecks>
  policyOf?: EngineDeps['policyOf']
  personaText?: EngineDeps['personaText']
  /** Where missions have their workspaces; without it, they have none. */
  missionWorkspaces?: MissionPlaces
  files: AttemptFiles
  /** Copies of produced files; without it there are none. */
  kept?: KeptFiles
  promptOf: EngineDeps['promptOf']
  environmentOf: (attemptId: string, fence: number) => Record<string, string>
  alsoSweep?: () => Promise<void>
  killSurvivors: (attemptIds: readonly string[]) => Promise<number>
  listSurvivors?: EngineDeps['listSurvivors']
  ourPorts?: EngineDeps['ourPorts']
  notify?: ScopeParts['notify']
  later?: ScopeParts['later']
  /** Further handlers of steps of missions, or others than the usual. */
  stepHandlers?: Partial<StepHandlers>
  /** Ways of working beside ours, or instead of one under its name. */
  playbooks?: readonly Playbook[]
  /** The talent pool from which personalities are cast; without it, none is cast. */
  talent?: Pick<Talent, 'pool' | 'prepare'>
  worker: string
  slots: number
  defaults: RunDefaults
  /** The team of tiered runs that bring none, where there is one. */
  homeTeam?: () => TeamFile | null
  /** The names of the configuration's notifiers, which a team may name. */
  notifiers?: readonly string[]
  /** Where the daemon runs; without it, a path must be absolute and no program is found. */
  place?: ComposerPlace
}

export interface MissionPlaces {
  /** The workspace root, which is that of `workspaces` too. */
  root: string
  /** Where attempts keep their files. */
  attempts: string
  snapshot?: WorkspaceDeps['snapshot']
  reviewPrompt: () => string
  /** Which process this is: `daemon`, or a worker's id. */
  host: string
}

export interface Agency {
  engine: Engine
  missions: Missions
  memories: Memories
  runs: Runs
  plans: Plans
  composer: Composer
  templates: Templates
  trustedFiles: TrustedFiles
  briefs: Briefs
  agents: Agents
  attempts: Attempts
  artifacts: Artifacts
  gates: Gates
  decisions: DecisionService
  amendments: Amendments
  questions: Questions
  notes: Notes
  spends: Spends
  budgets: Budgets
  stops: Stops
  pullRequests: PullRequests
  proofSheets: ProofSheets
  runResults: RunResults
  reports: Reports
  repeats: Repeats
  reverts: Reverts
  continuations: Continuations
  repositorySettings: RepositorySettingsService
  missionWorkspaces: MissionWorkspaces
  executions: Executions
  runSteps: RunSteps
}

export const playbooks: ReadonlyMap<string, Playbook> = new Map([direct, tiered].map((each) => [each.name, each]))

/** The core without its edges: the same for every host. */
export function composeAgency(parts: Parts): Agency {
  const { db, ids, chaosPoint, talent } = parts
  const places = parts.missionWorkspaces
  const tree = createWorkspaceTree(places?.root ?? null)
  const printed = createPrintedFiles(places?.attempts ?? '')
  const turns = createTurns()
  const logging = new Map<string, Promise<void>>()
  const watched = (runtime: Runtime): Runtime =>
    places === undefined
      ? runtime
      : observeRuntime(runtime, { ...parts, tree, printed, turns, logging, host: places.host })
  const runtimes = new Map(parts.runtimes.map((runtime) => [runtime.name, watched(runtime)]))
  const scopes: ScopeParts = {
    ids,
    decide: applyDecisions,
    interrupt: (attemptIds) => engine.interrupt(attemptIds),
    playbooks: new Map([...playbooks, ...(parts.playbooks ?? []).map((each) => [each.name, each] as const)]),
    providerOf: (name, options) => {
      const runtime = runtimes.get(name)
      return runtime?.providerOf?.(options) ?? runtime?.capabilities.provider ?? null
    },
    takesAnyTask: (name) => runtimes.get(name)?.capabilities.fixed !== true && runtimes.has(name),
    ...(parts.notify === undefined ? {} : { notify: parts.notify }),
    ...(parts.later === undefined ? {} : { later: parts.later }),
    ...(talent === undefined
      ? {}
      : {
          cast: (tx, wanted, run) =>
            castOne(tx, talent.pool(run.configuration.team?.talent), { ...wanted, tier: TierName.parse(wanted.tier) }),
          isTalent: (name, run) => isTalent(talent.pool(run.configuration.team?.talent), name),
        }),
  }
  const people: Pick<EngineDeps, 'talentOf'> =
    talent === undefined
      ? {}
      : { talentOf: (tier, run) => candidatesFor(talent.pool(run.configuration.team?.talent), TierName.parse(tier)) }
  const stopping = new AbortController()
  const outcomes = createKeptOutcomes(parts)
  const engine = withWorkspaces(
    createEngine({
      ...parts,
      ...scopes,
      ...people,
      runtimes,
      outcomes,
      troubles: createTroubles({ ...parts, outcomes }),
    }),
    db,
    stopping,
  )
  const missions = createMissions({ db, ids, playbooks: scopes.playbooks })
  const readTeamInThread = async (text: string): Promise<ReadTeam> =>
    text.length < smallText ? readTeam(text) : readText('team', text, parts.clock)
  const trustedFiles = createTrustedFiles({
    db,
    runtimes,
    readPlan: (text) => readInThread(text, parts.clock),
    readTeam: readTeamInThread,
  })
  const runs = createRuns({
    trust: trustedFiles,
    db,
    clock: parts.clock,
    ids,
    runtimes,
    scopes,
    missions,
    defaults: parts.defaults,
    homeTeam: parts.homeTeam,
    notifiers: parts.notifiers,
    checkTalent: checkTeamTalent,
    readTeam: readTeamInThread,
    prepareTalent: talent?.prepare,
    chaosPoint,
    repositories: parts.repositories,
    slots: parts.slots,
    isLeftOut: engine.isLeftOut,
    interrupt: engine.interrupt,
  })
  const missionWorkspaces = createMissionWorkspaces({
    db,
    ids,
    missions,
    tree,
    workspaces: parts.workspaces,
    repositories: parts.repositories,
    snapshot: places?.snapshot,
  })
  const plans = createPlans({
    db,
    clock: parts.clock,
    runtimes,
    trust: trustedFiles,
    startRun: runs.createTrusted,
    checkRun: runs.check,
  })
  const artifacts = createArtifacts({ db, resolveRun: runs.resolve, kept: parts.kept, workspaces: parts.workspaces })
  const resultDeps: RunResultDeps = {
    db,
    clock: parts.clock,
    playbooks: scopes.playbooks,
    repositories: parts.repositories,
    slots: parts.slots,
    isLeftOut: engine.isLeftOut,
  }
  const questions = createQuestions({ db, scopes, interrupt: engine.interrupt, chaosPoint })
  const gates = createGates({ db, scopes, questions, chaosPoint, repositories: parts.repositories })
  return {
    engine,
    missions,
    memories: createMemories({ db }),
    runs,
    trustedFiles,
    plans,
    composer: createComposer({
      db,
      runtimes,
      playbooks: scopes.playbooks,
      repositories: parts.repositories,
      defaults: parts.defaults,
      place: parts.place,
    }),
    templates: createTemplates({
      folder: parts.place === undefined ? null : `${parts.place.home}/templates`,
      builtIn: runTemplates,
      playbooks: scopes.playbooks,
      trust: trustedFiles,
    }),
    briefs: createBriefs({ db, scopes }),
    agents: createAgents({ db, resolveRun: runs.resolve, files: parts.files }),
    attempts: createAttempts({
      db,
      chaosPoint,
      touch: engine.touch,
      files: parts.files,
      playbooks: scopes.playbooks,
    }),
    artifacts,
    gates,
    decisions: createDecisions({ db, scopes, chaosPoint, gates, questions }),
    amendments: createAmendments({ db, scopes, readPlan: plans.read }),
    pullRequests: createPullRequests({ db, repositories: parts.repositories }),
    proofSheets: createProofSheets({ db, playbooks: scopes.playbooks }),
    continuations: createContinuations({ db, playbooks: scopes.playbooks, runs, repositories: parts.repositories }),
    runResults: createRunResults(resultDeps),
    reports: createReports({ ...resultDeps, showFile: artifacts.show }),
    reverts: createReverts({ db, ids, runs, repositories: parts.repositories }),
    repeats: createRepeats({
      db,
      ids,
      scopes,
      repositories: parts.repositories,
      progressOf: engine.progressOf,
      interrupt: engine.interrupt,
    }),
    repositorySettings: createRepositorySettings({
      db,
      scopes,
      repositories: parts.repositories,
      hostChecks: parts.hostChecks,
    }),
    questions,
    notes: createNotes({ db, scopes, touch: engine.touch, resolveRun: runs.resolve }),
    spends: createSpends({ db, missions }),
    budgets: createBudgets({ db, missions }),
    stops: createStops({ db, heed: engine.applyStops }),
    missionWorkspaces,
    runSteps: createRunSteps({ db, handlers: { ...executionSteps, ...parts.stepHandlers } }),
    executions: createExecutions({
      db,
      clock: parts.clock,
      stopping: stopping.signal,
      runs,
      workspaces: missionWorkspaces,
      tree,
      printed,
      logging,
      reviewPrompt: places?.reviewPrompt ?? (() => ''),
    }),
  }
}

/** Starts and ends the waits for workspaces with the engine. */
const withWorkspaces = (engine: Engine, db: Db, stopping: AbortController): Engine => ({
  ...engine,
  start: async () => {
    await engine.start()
    await releaseLeftBehind(db)
  },
  stop: () => {
    stopping.abort()
    return engine.stop()
  },
})

/** Returns every operation of the API with its handler. */
export function routesOf(
  agency: Agency,
  {
    db,
    clock,
    feed,
    daemon,
    org,
    notify,
    jobs,
    sessions,
    talent,
    demos,
  }: {
    db: Db
    clock: Clock
    feed: Feed
    daemon: DaemonService
    org: Org
    notify: Notify
    jobs: JobService
    sessions: Sessions
    talent: Talent
    demos: Demos
  },
): Route[] {
  const events = createEvents({
    db,
    clock,
    feed,
    resolveRun: (_, prefix) => agency.runs.resolve(prefix),
    hasRunEnded: async (runId) => (await agency.runs.show(runId)).endedAt !== null,
    checkFence: agency.attempts.checkFence,
  })
  return [
    ...daemonRoutes(daemon),
    ...eventRoutes(events),
    ...missionRoutes(agency.missions),
    ...memoryRoutes(agency.memories),
    ...runRoutes(agency.runs, agency.continuations),
    ...planRoutes(agency.plans),
    ...composerRoutes(agency.composer),
    ...templateRoutes(agency.templates),
    ...trustedFileRoutes(agency.trustedFiles),
    ...briefRoutes(agency.briefs),
    ...attemptRoutes(agency.attempts),
    ...artifactRoutes(agency.artifacts),
    ...agentRoutes(agency.agents),
    ...gateRoutes(agency.gates, agency.decisions),
    ...decisionRoutes(agency.decisions),
    ...amendmentRoutes(agency.amendments),
    ...pullRequestRoutes(agency.pullRequests),
    ...proofSheetRoutes(agency.proofSheets),
    ...runResultRoutes(agency.runResults),
    ...reportRoutes(agency.reports),
    ...repeatRoutes(agency.repeats),
    ...revertRoutes(agency.reverts),
    ...repositorySettingsRoutes(agency.repositorySettings),
    ...questionRoutes(agency.questions, agency.decisions),
    ...noteRoutes(agency.notes),
    ...spendRoutes(agency.spends),
    ...budgetRoutes(agency.budgets),
    ...stopRoutes(agency.stops),
    ...workspaceRoutes(agency.missionWorkspaces),
    ...executionRoutes(agency.executions),
    ...organisationRoutesOf(org),
    ...notifyRoutes(notify),
    ...jobRoutes(jobs),
    ...sessionRoutes(sessions),
    ...talentRoutes(talent),
    ...demoRoutes(demos),
  ]
}
