import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Db, Tx } from '../../db/port.ts'
import { choosePlaybook } from '../choose-playbook.ts'
import { checkCast } from '../briefs/cast.ts'
import type { BriefSpec } from '../briefs/contract.ts'
import { findFork } from '../continuations/fork.ts'
import { checkNotLanding } from '../pull-requests/moves.ts'
import { endLiveAttempts } from '../attempts/end-live.ts'
import { checkPlan } from '../briefs/create.ts'
import { type RunScope, type ScopeParts, scopeOf, scopeToEnd } from '../scope.ts'
import { create } from '../../events/change.ts'
import { listStreamEvents, newestSeq } from '../../events/store.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Ids, RunId } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { listPersonasOfRun } from '../../org/personas/store.ts'
import type { Repositories } from '../../repositories/port.ts'
import { tierNames } from '../../team/contract.ts'
import type { TeamFile } from '../../team/open.ts'
import { listAmendments } from '../amendments/store.ts'
import { newestDocuments } from '../artifacts/documents.ts'
import { listArtifacts } from '../artifacts/store.ts'
import { listAttempts } from '../attempts/store.ts'
import { externalHolds } from '../briefs/external-holds.ts'
import { reasonsOf, withReasons } from '../briefs/held.ts'
import { listBriefs, listDependencies, listHoldsOfRun } from '../briefs/store.ts'
import { findLimitsOfRun } from '../budgets/store.ts'
import { withLimits } from '../briefs/view.ts'
import { limitFromTheStart, placeOfRun } from '../budgets/limits.ts'
import { listChecks } from '../evidence/store.ts'
import { viewsOf } from '../gates/view.ts'
import { listGatesOfRun } from '../gates/store.ts'
import type { Mission } from '../missions/contract.ts'
import type { Missions } from '../missions/service.ts'
import { showNote } from '../notes/contract.ts'
import { listNotesOfRun } from '../notes/store.ts'
import { listParts } from '../parts/store.ts'
import { listProofs } from '../proofs/store.ts'
import { questionViews } from '../questions/view.ts'
import { listQuestionsOfRun, listSharedQuestions } from '../questions/store.ts'
import { storedSetup } from '../repository-settings/resolve.ts'
import type { TrustedFiles } from '../trusted-files/service.ts'
import { sumByModel } from '../spends/store.ts'
import { listVerdicts } from '../verdicts/store.ts'
import { queueInWorkspace } from '../mission-workspaces/executions/queue.ts'
import { findActiveWorkspace } from '../mission-workspaces/store.ts'
import {
  claimOrderOf,
  CreateRun,
  type Run,
  type RunConfiguration,
  type RunPurpose,
  type RunRepository,
  type RunStanding,
} from './contract.ts'
import { requireRun, resolveRun } from './find.ts'
import { checkRuntimesAgain, type PrepareDeps, type Prepared, prepareRun } from './prepare.ts'
import { listContinuations, runs } from './store.ts'
import { moveRun, moveRunsMission, touchRun } from './moves.ts'
import { dismissRun } from './dismiss.ts'
import { cancelRun } from './end.ts'
import { listStandings, type RunListQuery } from './list.ts'
import { standingOf } from './standing.ts'
import type { Surroundings } from './waits-for.ts'

export type RunDefaults = Pick<
  RunConfiguration,
  | 'idleMinutes'
  | 'hardMinutes'
  | 'crashRetries'
  | 'retryBudget'
  | 'verify'
  | 'verificationLimit'
  | 'acceptance'
  | 'onLimit'
  | 'gateTimeoutMinutes'
  | 'questionReminderMinutes'
> & {
  runtime: string | null
}

export interface RunDeps {
  db: Db
  clock: Clock
  ids: Ids
  runtimes: ReadonlyMap<string, Runtime>
  scopes: ScopeParts
  missions: Missions
  /** The configured defaults of runs. */
  defaults: RunDefaults
  /** The team of runs without one of their own, if it is configured. */
  homeTeam?: (() => TeamFile | null) | undefined
  notifiers?: PrepareDeps['notifiers']
  /** Asks the operator about a team file that starts anything. */
  trust: Pick<TrustedFiles, 'require'>
  checkTalent: PrepareDeps['checkTalent']
  readTeam?: NonNullable<PrepareDeps['readTeam']>
  /** Reads the talent pool of a team; refuses a missing one. */
  prepareTalent?: PrepareDeps['prepareTalent']
  chaosPoint: ChaosPoint
  /** Without it, no run can have a repository. */
  repositories?: Repositories | undefined
  /** The number of agents that may run at once. */
  slots: number
  isLeftOut: Surroundings['isLeftOut']
  /** Receives, after commit, the attempts whose agents must stop. */
  interrupt: (attemptIds: readonly string[]) => void
}

/** A run that continues an ended one, with the settings of that one. */
export interface NewContinuation {
  readonly briefs: readonly BriefSpec[]
  readonly repository: RunRepository | null
  /** The commit with which its work begins; null: the base of the repository. */
  readonly head: string | null
  readonly configuration: RunConfiguration
}

export type Runs = ReturnType<typeof createRuns>

export function createRuns(deps: RunDeps) {
  const { db } = deps
  const around = (): Surroundings => ({ at: deps.clock.at(), slots: deps.slots, isLeftOut: deps.isLeftOut })
  /** Creates a run from files that are trusted. */
  async function createTrusted(by: Actor, input: CreateRun, purpose?: RunPurpose): Promise<Run> {
    const prepared = await checkInput(deps, input)
    const fork = input.fork === undefined ? null : await findFork(deps, input, input.fork)
    const repository = fork?.repository ?? (await openRepository(deps, input, prepared))
    const missionId = input.missionId === undefined ? undefined : await deps.missions.resolve(input.missionId)
    return db.write([`org:${input.organisationId}`], async (tx) => {
      await checkCast(tx, input.briefs)
      const mission = await deps.missions.open(tx, by, {
        missionId,
        organisationId: input.organisationId,
        title: shorten(input.goal.split('\n')[0] as string, 200),
        description: input.goal,
        playbook: prepared.playbook.name,
        isStep: purpose !== undefined,
      })
      const place = await placeInWorkspace(tx, input, mission)
      tx.afterCommit(() => deps.chaosPoint('run.created'))
      const settings = {
        ...place,
        ...(fork === null ? {} : { continues: fork.continues }),
        ...(purpose === undefined ? {} : { purpose }),
      }
      const head = fork?.continues.commit ?? null
      return startRun(deps, tx, by, input, prepared, mission, repository, settings, { head })
    })
  }

  /**
   * Creates a run whose first work the engine does itself: `begin` records it in the same transaction. The runtime of the
   * run need not be here, because no agent starts unless the work has to be done again.
   */
  async function createMade(
    by: Actor,
    input: CreateRun,
    repository: RunRepository,
    { id, reverts }: { id: RunId; reverts: NonNullable<RunConfiguration['reverts']> },
    begin: (scope: RunScope) => Promise<void>,
  ): Promise<Run> {
    const { runtime = 'scripted', runtimeOptions } = input
    const playbook = choosePlaybook(deps.scopes.playbooks, input.playbook)
    return db.write([`org:${input.organisationId}`, `run:${reverts.runId}`], async (tx) => {
      const mission = await deps.missions.open(tx, by, {
        missionId: undefined,
        organisationId: input.organisationId,
        title: shorten(input.goal.split('\n')[0] as string, 200),
        description: input.goal,
        playbook: playbook.name,
        isStep: false,
      })
      tx.afterCommit(() => deps.chaosPoint('run.created'))
      const prepared = { playbook, runtime, runtimeOptions, team: null }
      const run = await startRun(deps, tx, by, input, prepared, mission, repository, { reverts }, { id })
      const scope = scopeOf(deps.scopes, tx, run, actorName(by))
      await begin(scope)
      return scope.run
    })
  }

  return {
    createMade,

    /** Creates a run from a request; its team file must be trusted if it starts anything. */
    async create(by: Actor, input: CreateRun, purpose?: RunPurpose): Promise<Run> {
      const { team, fileNames, trust } = input
      if (team !== undefined) await deps.trust.require(by, [{ kind: 'team', text: team, name: fileNames?.team }], trust)
      return createTrusted(by, input, purpose)
    },

    createTrusted,

    /**
     * Creates a run with the settings of an ended one. `check` runs in the transaction, which no other run that continues
     * the same one can share.
     */
    async createContinuation(
      by: Actor,
      old: Run,
      { briefs, repository, head, configuration }: NewContinuation,
      check: (tx: Tx) => Promise<void>,
    ): Promise<Run> {
      const { runtime, runtimeOptions, team = null } = old.configuration
      const { goalAnchor: goal, organisationId, priority } = old
      const parsed = CreateRun.parse({ goal, organisationId, priority, runtime, runtimeOptions })
      const input: CreateRun = { ...parsed, briefs: [...briefs] }
      const playbook = choosePlaybook(deps.scopes.playbooks, old.playbook)
      await checkRuntimesAgain(deps, old.configuration, input)
      return db.write([`org:${organisationId}`, `run:${old.id}`], async (tx) => {
        await check(tx)
        await checkCast(tx, briefs)
        const mission =
          (await deps.missions.reopen(tx, by, old.missionId)) ??
          (await deps.missions.open(tx, by, {
            missionId: undefined,
            organisationId,
            title: shorten(goal.split('\n')[0] as string, 200),
            description: goal,
            playbook: playbook.name,
          }))
        tx.afterCommit(() => deps.chaosPoint('run.created'))
        const prepared = { playbook, runtime, runtimeOptions, team }
        return startRun(deps, tx, by, input, prepared, mission, repository, configuration, { head })
      })
    },

    /** Refuses the casts and runtimes that `create` would refuse, without creating anything. */
    async check(input: CreateRun): Promise<void> {
      await checkInput(deps, input)
      await db.read((tx) => checkCast(tx, input.briefs))
    },

    resolve: (prefix: string): Promise<string> => db.read((tx) => resolveRun(tx, prefix)),

    list: (query: RunListQuery) => db.read((tx) => listStandings(tx, query, around(), deps.scopes.playbooks)),

    show: (prefix: string): Promise<Run & RunStanding> =>
      db.read(async (tx) => {
        const run = await requireRun(tx, prefix)
        return { ...run, ...(await standingOf(tx, run, around())) }
      }),

    inspect: (prefix: string, events: number) =>
      db.read(async (tx) => {
        const run = await requireRun(tx, prefix)
        const stream = `run:${run.id}` as const
        const last = await newestSeq(tx, stream)
        const briefs = await listBriefs(tx, run.id)
        const artifacts = await listArtifacts(tx, run.id)
        const limits = await findLimitsOfRun(tx, run.id)
        const held = Map.groupBy(await listHoldsOfRun(tx, run.id), ({ briefId }) => briefId)
        const beyond = await externalHolds(tx, run, briefs, tx.at)
        return {
          run,
          status: run.status,
          ...(await standingOf(tx, run, around())),
          briefs: briefs.map((brief) =>
            withLimits(withReasons(brief, reasonsOf(brief, held.get(brief.id) ?? [], run, beyond(brief))), limits),
          ),
          dependencies: await listDependencies(tx, run.id),
          attempts: await listAttempts(tx, run.id),
          evidence: await listChecks(tx, run.id),
          artifacts,
          documents: newestDocuments(artifacts),
          parts: await listParts(tx, run.id),
          amendments: await listAmendments(tx, run.id),
          gates: await viewsOf(tx, await listGatesOfRun(tx, run.id)),
          questions: await questionViews(tx, [
            ...(await listQuestionsOfRun(tx, run.id)),
            ...(await listSharedQuestions(tx, run.id)),
          ]),
          verdicts: await listVerdicts(tx, run.id),
          proofs: await listProofs(tx, run.id),
          notes: (await listNotesOfRun(tx, run.id)).map(showNote),
          personas: await listPersonasOfRun(tx, run.id),
          spends: await sumByModel(tx, { runId: run.id }),
          continuedBy: (await listContinuations(tx, run.id)).map(({ id, status, configuration }) => ({
            id,
            status,
            kind: configuration.continues?.kind ?? 'retry',
          })),
          events:
            events === 0
              ? []
              : await listStreamEvents(tx, stream, { after: Math.max(0, last - events), limit: events }),
        }
      }),

    async dismiss(by: Actor, prefix: string): Promise<Run> {
      const { id } = await db.read((tx) => requireRun(tx, prefix))
      return db.write([`run:${id}`], async (tx) => dismissRun(tx, await requireRun(tx, id), actorName(by)))
    },

    async cancel(by: Actor, prefix: string, reason: string | undefined): Promise<Run> {
      const { id, organisationId } = await db.read((tx) => requireRun(tx, prefix))
      return db.write([`run:${id}`, `org:${organisationId}`], async (tx) => {
        const run = await requireRun(tx, id)
        if (run.endedAt !== null)
          throw refusal('illegal_transition', `run ${id} is ${run.status} already`, {
            data: { from: run.status, to: 'cancelled' },
          })
        checkNotLanding(run)
        const scope = scopeToEnd(deps.scopes, tx, run, actorName(by))
        await endLiveAttempts(scope, 'the run was cancelled')
        await cancelRun(scope, reason ?? 'cancelled by the operator')
        return scope.run
      })
    },
  }
}

async function checkInput(deps: RunDeps, input: CreateRun): Promise<Prepared> {
  const prepared = await prepareRun(deps, choosePlaybook(deps.scopes.playbooks, input.playbook), input)
  checkPlan(input.briefs)
  return prepared
}

/** A given path is never trusted: the workspace is the mission's own or none. */
async function placeInWorkspace(
  tx: Tx,
  { workspace, repo }: CreateRun,
  mission: Mission,
): Promise<Pick<RunConfiguration, 'clone'>> {
  if (workspace === undefined) return {}
  const found = await findActiveWorkspace(tx, mission.id)
  if (found?.path !== workspace)
    throw refusal('invalid_input', `"${workspace}" is not the workspace of mission ${mission.id}`, {
      hint: 'Make one with "agency workspace create <mission>", and name the mission with --mission.',
    })
  if (repo !== undefined)
    throw refusal('invalid_input', 'a run works in a workspace or in clones of a repository, not in both')
  const { repository } = found
  if (repository === null) return {}
  return { clone: { mirror: repository.mirror, branch: repository.branch, start: repository.base } }
}

/** Runs before the transaction: a first mirror takes as long as a clone. */
async function openRepository(
  deps: RunDeps,
  { repo, base, setup, protected: barred }: CreateRun,
  { team }: Prepared,
): Promise<RunRepository | null> {
  if (repo === undefined) {
    if (setup !== undefined)
      throw refusal('invalid_input', '--setup prepares fresh checkouts of a repository', {
        hint: 'Give the repository with --repo.',
      })
    if (barred !== undefined)
      throw refusal('invalid_input', '--protect names files of a repository', {
        hint: 'Give the repository with --repo.',
      })
    if (base !== undefined)
      throw refusal('invalid_input', '--base names a branch of a repository', {
        hint: 'Give the repository with --repo.',
      })
    return null
  }
  if (deps.repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
  return deps.repositories.open(repo, base ?? team?.vcs.main ?? undefined)
}

async function startRun(
  deps: RunDeps,
  tx: Tx,
  by: Actor,
  input: CreateRun,
  { playbook, runtime, runtimeOptions, team }: Prepared,
  mission: Mission,
  repository: RunRepository | null,
  place: Partial<RunConfiguration>,
  { id = deps.ids.next('run'), head = null }: { id?: RunId; head?: string | null } = {},
): Promise<Run> {
  await tx.lock(`run:${id}`)
  const used = [
    ...(team === null ? [runtime] : tierNames.map((tier) => team.tiers[tier].runtime)),
    ...input.briefs.map((brief) => brief.runtime ?? runtime),
  ]
  const limits = team?.limits
  const priority = input.priority ?? mission.priority
  const run = await create(
    tx,
    runs,
    {
      id,
      missionId: mission.id,
      organisationId: mission.organisationId,
      playbook: playbook.name,
      status: 'planning',
      priority,
      goalAnchor: input.goal,
      simulated: used.some((name) => deps.runtimes.get(name)?.capabilities.simulated === true),
      configuration: {
        runtime,
        runtimeOptions,
        evidence: input.evidence,
        idleMinutes: input.idleMinutes === undefined ? deps.defaults.idleMinutes : input.idleMinutes,
        hardMinutes: input.hardMinutes === undefined ? deps.defaults.hardMinutes : input.hardMinutes,
        crashRetries: input.crashRetries ?? limits?.crashRetries ?? deps.defaults.crashRetries,
        retryBudget: input.retryBudget ?? limits?.retryBudget ?? deps.defaults.retryBudget,
        verify: input.verify ?? deps.defaults.verify,
        verificationLimit: input.verificationLimit ?? limits?.verificationFailures ?? deps.defaults.verificationLimit,
        verifierRuntime: input.verifierRuntime ?? null,
        verifierOptions: input.verifierOptions ?? null,
        planner: input.planner,
        planGate: input.planGate,
        ...(input.largePlan === undefined ? {} : { largePlan: input.largePlan }),
        acceptance: input.acceptance ?? deps.defaults.acceptance,
        onLimit: input.onLimit ?? deps.defaults.onLimit,
        gateTimeoutMinutes:
          input.gateTimeoutMinutes === undefined
            ? (team?.gateTimeoutMinutes ?? deps.defaults.gateTimeoutMinutes)
            : input.gateTimeoutMinutes,
        ...(deps.defaults.questionReminderMinutes === undefined
          ? {}
          : { questionReminderMinutes: deps.defaults.questionReminderMinutes }),
        approvalsNeeded: input.approvalsNeeded,
        tokenBudget: input.tokenBudget ?? null,
        costLimit: input.costLimit ?? null,
        mode: input.mode ?? 'yolo',
        ...(input.verifierMode === undefined ? {} : { verifierMode: input.verifierMode }),
        workspace: input.workspace ?? null,
        ...setupOf(input, team),
        ...(input.protected === undefined ? {} : { protected: input.protected }),
        ...(input.readable === undefined ? {} : { readable: input.readable }),
        ...(team === null ? {} : { team }),
        ...place,
      },
      briefsTotal: 0,
      briefsOpen: 0,
      briefsVerified: 0,
      briefsDone: 0,
      briefsFailed: 0,
      inputTokens: 0,
      outputTokens: 0,
      costMicros: 0,
      unpricedCalls: 0,
      heldBy: null,
      abandoned: false,
      gatesPending: 0,
      questionsOpen: 0,
      notesTotal: 0,
      repository,
      head: head ?? repository?.base ?? null,
      summary: null,
      continues: place.continues?.runId ?? null,
      claimOrder: claimOrderOf({ priority, startedAt: tx.at, id }),
      startedAt: tx.at,
      endedAt: null,
      dismissedAt: null,
      updatedAt: tx.at,
    },
    {
      kind: 'run_created',
      by: actorName(by),
      runId: id,
      ...playbook.runTags,
      ...(playbook.logsProgress === true ? { level: 'verbose' as const } : { code: 'PLAN_START' }),
      message: shorten(input.goal, 500),
      data: {
        mission_id: mission.id,
        playbook: playbook.name,
        runtime,
        ...(place.continues === undefined
          ? {}
          : { continues: place.continues.runId, as: place.continues.kind, commit: place.continues.commit }),
      },
    },
  )
  const { tokenBudget: tokens, costLimit: usd } = run.configuration
  await limitFromTheStart(tx, placeOfRun(run), actorName(by), { tokens, usd })
  const scope = scopeOf(deps.scopes, tx, run, actorName(by))
  if (place.continues !== undefined)
    await touchRun(scope, {}, { kind: 'log', level: 'normal', message: place.continues.note })
  for (const message of team?.warnings ?? []) await touchRun(scope, {}, { kind: 'log', level: 'normal', message })
  await scope.decide({ kind: 'run_started', briefs: input.briefs })
  await queueInWorkspace(scope)
  // A plan that waits for approval has already gated the run.
  if (scope.run.status === 'planning')
    await moveRun(scope, 'running', { level: 'verbose', message: 'the run is under way' })
  await moveRunsMission(scope, ['assigned', 'in_progress'])
  return scope.run
}

/** The run's own command, given to it or in its plan, comes before that of its team. */
function setupOf({ setup }: CreateRun, team: Prepared['team']): Pick<RunConfiguration, 'setup'> {
  const stated = setup ?? team?.setup
  return stated === undefined ? {} : { setup: storedSetup(stated) }
}
