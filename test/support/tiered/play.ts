import { type Agency, composeAgency, playbooks } from '../../../src/compose.ts'
import type { Db } from '../../../src/db/port.ts'
import { openSqlite } from '../../../src/db/sqlite.ts'
import { createSpawnDriver } from '../../../src/engine/attempt/spawn.ts'
import { startExamination } from '../../../src/engine/examination/examination.ts'
import { claimBriefs } from '../../../src/engine/loop/claim.ts'
import { createSearch } from '../../../src/engine/loop/search.ts'
import { applyDecisions } from '../../../src/engine/outcome/decide.ts'
import type { EngineDeps } from '../../../src/engine/deps.ts'
import { createMemoryFiles } from '../../../src/engine/attempt/memory-files.ts'
import type { ScopeParts } from '../../../src/work/scope.ts'
import { auditEvents } from '../../../src/events/audit.ts'
import { replayEvents } from '../../../src/events/replay.ts'
import type { Actor } from '../../../src/kernel/actor.ts'
import { createIds, type Ids } from '../../../src/kernel/ids.ts'
import { noLog } from '../../../src/kernel/log.ts'
import { seedOrganisation } from '../../../src/org/seed.ts'
import { eventTables } from '../../../src/tables.ts'
import type { Amendment } from '../../../src/work/amendments/contract.ts'
import { amendments } from '../../../src/work/amendments/store.ts'
import { artifacts } from '../../../src/work/artifacts/store.ts'
import { attempts } from '../../../src/work/attempts/store.ts'
import type { TierName as Tier } from '../../../src/team/contract.ts'
import type { Brief } from '../../../src/work/briefs/contract.ts'
import { liveStatuses } from '../../../src/work/briefs/states.ts'
import { findWork } from '../../../src/work/briefs/ready-store.ts'
import { briefs } from '../../../src/work/briefs/store.ts'
import type { GateRow } from '../../../src/work/gates/contract.ts'
import { gates } from '../../../src/work/gates/store.ts'
import type { Part } from '../../../src/work/parts/contract.ts'
import { parts } from '../../../src/work/parts/store.ts'
import type { Question } from '../../../src/work/questions/contract.ts'
import { questions } from '../../../src/work/questions/store.ts'
import { CreateRun, type Run } from '../../../src/work/runs/contract.ts'
import { runs } from '../../../src/work/runs/store.ts'
import type { Verdict } from '../../../src/work/verdicts/contract.ts'
import { verdicts } from '../../../src/work/verdicts/store.ts'
import { createMemoryWorkspaces } from '../../../src/workspaces/memory.ts'
import { agentOf } from '../agency.ts'
import { connectEmptyStore } from '../empty-store.ts'
import { bundledPrompt } from '../prompts.ts'
import { testChainKey } from '../store.ts'
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import { operator, plainDefaults } from '../work.ts'
import { type Ending, playEnding, usageOf } from './endings.ts'
import { createPlayedRepositories, type PlayedRepositories } from './repositories.ts'
import { type Line, Rows } from './rows.ts'
import { createWaitingRuntime, exited, type WaitingAgent, type WaitingRuntime } from './runtime.ts'

export interface Timer {
  readonly name: string
  readonly part: string
  readonly minutes: number
}

export interface PlayOptions {
  readonly goal?: string
  /** Text of the team file; without one, a team that limits nothing. */
  readonly team?: string
  readonly inRepository?: boolean
  readonly tokenBudget?: number
  /** The operator's evidence for every task. */
  readonly evidence?: readonly unknown[]
  /** Plays in the same store, after this run. */
  readonly after?: Play
  /** Plays in a store of its own. Other plays of a file share one, because a new store costs as much as a short run. */
  readonly alone?: boolean
  readonly tokensPerAttempt?: number
  /** Whether agents count as simulated; true, unless it says otherwise. */
  readonly simulated?: boolean
}

/** The classes of questions that tiers below the operator are asked. */
const climbing: ReadonlySet<unknown> = new Set(['asked', 'bad_output', 'verification', 'crash'])

interface Live {
  readonly ended: Promise<unknown>
}

/**
 * A tiered run on the real engine: SQLite in memory, the composed services, and real attempts whose agents wait until
 * the test says how they end. The test decides what happens next; everything else is the product's. The run's rows can
 * be read at any time and are those of the last commit.
 */
export class Play {
  readonly db: Db
  readonly clock: VirtualClock
  readonly ids: Ids
  readonly repositories: PlayedRepositories
  timers: Timer[] = []
  private readonly agency: Agency
  private readonly deps: EngineDeps
  private readonly runtime: WaitingRuntime
  private rows!: Rows
  private runId = ''
  private readonly tokensPerAttempt: number
  private readonly attempts = new Map<string, Live>()
  private readonly errors: string[] = []
  private mustIntegrate = false
  private mustLand = false
  private mustProve = false
  private started: () => void = () => {}

  private constructor({ db, clock, ids }: Store, { simulated = true, tokensPerAttempt = 0 }: PlayOptions) {
    this.db = db
    this.clock = clock
    this.ids = ids
    this.tokensPerAttempt = tokensPerAttempt
    this.repositories = createPlayedRepositories()
    this.runtime = createWaitingRuntime(simulated)
    const common = {
      db,
      clock,
      ids: this.ids,
      // The engine survives its own faults by counting an attempt as crashed; here they fail the test.
      log: {
        ...noLog,
        error: (message: string, fields?: unknown) => void this.errors.push(`${message} ${JSON.stringify(fields)}`),
      },
      chaosPoint: (point: string) => {
        if (point === 'attempt.started') this.started()
      },
      workspaces: createMemoryWorkspaces(),
      repositories: this.repositories,
      prices: { priceOf: async ({ inputTokens }) => inputTokens * 10 },
      files: createMemoryFiles(),
      promptOf: bundledPrompt,
      environmentOf: () => ({}),
      killSurvivors: async () => 0,
      later: this.later,
      worker: 'test:1',
      slots: 100_000,
    } satisfies Partial<EngineDeps>
    this.agency = composeAgency({
      ...common,
      runtimes: [this.runtime],
      defaults: { ...plainDefaults, runtime: 'scripted' },
    })
    this.deps = {
      ...common,
      runtimes: new Map([[this.runtime.name, this.runtime]]),
      playbooks,
      decide: applyDecisions,
      takesAnyTask: (name) => name === this.runtime.name,
    }
  }

  static async start(options: PlayOptions = {}): Promise<Play> {
    const {
      goal = 'Do it',
      team = openTeam,
      inRepository = false,
      tokenBudget,
      evidence,
      after,
      alone = false,
    } = options
    const play = new Play(after ?? (await (alone ? openMemoryStore() : openShared())), options)
    const { id } = await play.agency.runs.create(
      operator,
      CreateRun.parse({
        goal,
        playbook: 'tiered',
        team,
        tokenBudget,
        evidence,
        ...(inRepository ? { repo: '/r' } : {}),
      }),
    )
    play.runId = id
    play.rows = new Rows(play.db, id)
    await play.settle()
    return play
  }

  /** The events of the run must form an unbroken chain, and rebuild the rows that the store holds. */
  async check(): Promise<void> {
    const { findings } = await auditEvents(this.db)
    const { differences } = await replayEvents(this.db, eventTables)
    if (findings.length + differences.length > 0) throw new Error([...findings.map(String), ...differences].join('\n'))
  }

  async close(): Promise<void> {
    for (const { events } of this.runtime.agents.values()) events.push({ ...exited, exitCode: 1 })
    await this.db.close()
  }

  // State, as of the last commit

  get run(): Run {
    return this.rows.of(runs)[0] as Run
  }

  get lines(): readonly Line[] {
    return this.rows.lines
  }

  /** Escalations from one tier to the next, and the hops of questions that climb; a block of a brief is neither. */
  escalations(): readonly Line['data'][] {
    return this.lines.flatMap(({ kind, data }) => {
      const { from, to, class: cause, skipped } = data
      if (kind === 'escalated' && to !== 'blocked') return [data]
      if (kind !== 'question_routed' || !climbing.has(cause)) return []
      return [{ from, to, class: cause, ...(skipped === undefined ? {} : { skipped }) }]
    })
  }

  /** Messages of the playbook's own lines with this code. */
  logged(code: string): string[] {
    const own = ['log', 'joint_verdict', 'all_committed', 'mesh_timeout']
    return this.lines.filter((line) => line.code === code && own.includes(line.kind)).map(({ message }) => message)
  }

  get briefs(): ReadonlyMap<string, Brief> {
    return new Map(this.rows.of(briefs).map((brief) => [brief.id, brief]))
  }

  get parts(): ReadonlyMap<string, Part> {
    return new Map(this.rows.of(parts).map((part) => [part.key, part]))
  }

  /** By brief: the newest. */
  get verdicts(): ReadonlyMap<string, Verdict> {
    return new Map(this.rows.of(verdicts).map((verdict) => [verdict.briefId, verdict]))
  }

  get gates(): GateRow[] {
    return this.rows.of(gates)
  }

  /** Those that wait for an answer. */
  get questions(): Question[] {
    return this.rows.of(questions).filter(({ answeredAt, status }) => answeredAt === null && status !== 'withdrawn')
  }

  get amendments(): Amendment[] {
    return this.rows.of(amendments)
  }

  brief(key: string): Brief {
    const found = this.find(key)
    if (found === undefined)
      throw new Error(`no brief ${key}; there are ${[...this.briefs.values()].map((each) => each.key).join(', ')}`)
    return found
  }

  find = (key: string): Brief | undefined => this.rows.of(briefs).find((each) => each.key === key)

  of = (phase: string): Brief[] => this.rows.of(briefs).filter((each) => each.phase === phase)

  /** Names of the documents that steps have written. */
  documents(): string[] {
    return [...new Set(this.rows.of(artifacts).flatMap(({ name, content }) => (content === null ? [] : [name])))]
  }

  document(name: string): unknown {
    const newest = this.rows.of(artifacts).findLast((each) => each.name === name && each.content !== null)
    return newest === undefined ? undefined : JSON.parse(newest.content as string)
  }

  /** The agent of the newest attempt of a brief. */
  agentOf = (key: string): WaitingAgent => this.runtime.agents.get(this.brief(key).attemptId as string) as WaitingAgent

  live = (): Brief[] => this.rows.of(briefs).filter(({ status }) => liveStatuses.includes(status))

  pendingGates = (): GateRow[] => this.gates.filter(({ status }) => status === 'pending')

  /** Gates that the operator decides. */
  operatorGates = (): GateRow[] => this.pendingGates().filter(({ approver }) => approver === 'operator')

  /** Returns the briefs that the engine would claim now. */
  async runnable(): Promise<Brief[]> {
    const { ready } = await this.db.read((tx) => findWork(tx, { limit: 100_000 }))
    return ready.flatMap(({ briefId }) => this.rows.find(briefs, briefId) ?? [])
  }

  // Events

  async launch(brief: Brief): Promise<Brief> {
    const [launched] = await this.launchAll([brief])
    if (launched === undefined) throw new Error(`${brief.key} is ${brief.status} and could not be claimed`)
    return launched
  }

  async launchAll(wanted: readonly Brief[]): Promise<Brief[]> {
    const ids = new Set(wanted.map(({ id }) => id))
    const { claimed } = await claimBriefs(this.deps, ids.size, {
      ...createSearch(this.deps.clock, this.deps.playbooks),
      findWork: async (tx) => {
        const work = await findWork(tx, { limit: 100_000 })
        return { ...work, ready: work.ready.filter(({ briefId }) => ids.has(briefId)) }
      },
    })
    await new Promise<void>((resolve) => {
      let left = claimed.length
      this.started = () => {
        if (--left === 0) resolve()
      }
      const slots = { take: () => true, mayUse: () => true, giveBack: () => {} }
      const driver = createSpawnDriver(this.deps, slots, async () => null)
      for (const each of claimed) {
        const ended = driver
          .start(each)
          .ended.then((reported) => reported && startExamination(this.deps, reported).ended)
        this.attempts.set(each.attempt.id, { ended })
      }
      if (left === 0) resolve()
    })
    await this.settle()
    return claimed.map(({ brief }) => this.rows.find(briefs, brief.id) as Brief)
  }

  async end(stale: Brief, ending: Ending): Promise<void> {
    const brief = this.rows.find(briefs, stale.id) as Brief
    if (!liveStatuses.includes(brief.status)) return
    const attemptId = brief.attemptId as string
    const agent = this.runtime.agents.get(attemptId) as WaitingAgent
    if (this.tokensPerAttempt > 0) agent.events.push(usageOf(this.tokensPerAttempt))
    if (ending.kind === 'secret') this.repositories.secret = 'generic-key'
    await playEnding(agent, brief, ending)
    await this.attempts.get(attemptId)?.ended
    this.attempts.delete(attemptId)
    await this.settle()
  }

  async approve(gate: string): Promise<void> {
    await this.agency.gates.approve(operator, { target: this.pendingGate(gate).id })
    await this.settle()
  }

  async reject(gate: string, reason: string): Promise<void> {
    await this.agency.gates.reject(operator, { target: this.pendingGate(gate).id, reason })
    await this.settle()
  }

  private pendingGate(name: string): GateRow {
    const found = this.pendingGates().find(({ gate, id }) => gate === name || id === name)
    if (found !== undefined) return found
    const names = this.pendingGates().map(({ gate }) => gate)
    throw new Error(`no pending gate ${name}; there are ${names.join(', ')}`)
  }

  /** Gives up, or chooses the first option that does not. */
  async answer({ id, options }: Question, how: 'retry' | 'abandon'): Promise<void> {
    const keys = options.map(({ key }) => key)
    const key = how === 'abandon' ? 'abandon' : (keys.find((each) => each !== 'abandon') as string)
    await this.agency.questions.answer(operator, id, key)
    await this.settle()
  }

  async fire({ name, part }: Pick<Timer, 'name' | 'part'>): Promise<void> {
    this.timers = this.timers.filter((timer) => timer.name !== name || timer.part !== part)
    await this.agency.engine.timer({ runId: this.run.id, name, part })
    await this.settle()
  }

  async cancel({ id }: Brief): Promise<void> {
    await this.agency.briefs.update(operator, id, 'cancelled', undefined)
    await this.settle()
  }

  /** Gives a workstream another path, on behalf of the operator or of the agent that works on a brief. */
  async amend(workstream: string, path: readonly Tier[], by?: Brief): Promise<void> {
    const before = this.parts.get(`ws:${workstream}`)?.data['path'] as Tier[]
    const actor: Actor = by === undefined ? operator : agentOf(this.rows.find(attempts, by.attemptId) as never)
    await this.agency.amendments.amend(actor, {
      runId: this.run.id,
      workstream,
      reason: 'deeper than it seemed',
      addTiers: path.filter((tier) => !before.includes(tier)),
      removeTiers: before.filter((tier) => !path.includes(tier)),
    } as never)
    await this.settle()
  }

  private readonly later: NonNullable<ScopeParts['later']> = async (tx, wake) => {
    if (wake.kind === 'integrate') tx.afterCommit(() => (this.mustIntegrate = true))
    if (wake.kind === 'land') tx.afterCommit(() => (this.mustLand = true))
    if (wake.kind === 'prove') tx.afterCommit(() => (this.mustProve = true))
    if (wake.kind !== 'playbook_timer') return
    const { name, part, delayMs } = wake
    tx.afterCommit(() => {
      // As in the queue of jobs: one timer of a name waits at a time, for the earlier of the two.
      const known = this.timers.find((timer) => timer.name === name && timer.part === part)
      const minutes = Math.min(known?.minutes ?? Infinity, delayMs / 60_000)
      this.timers = [...this.timers.filter((timer) => timer !== known), { name, part, minutes }]
    })
  }

  /** Brings the engine to rest, so that nothing happens before the test's next step. */
  private async settle(): Promise<void> {
    const { engine } = this.agency
    while (this.mustIntegrate || this.mustLand || this.mustProve) {
      const { mustIntegrate, mustLand } = this
      if (mustIntegrate) this.mustIntegrate = false
      else if (mustLand) this.mustLand = false
      else this.mustProve = false
      if (mustIntegrate) await engine.integrate(this.runId)
      else if (mustLand) await engine.land(this.runId, { tries: 0, isLastTry: true })
      else await engine.prove(this.runId, 0)
    }
    await this.rows.refresh()
    // Agents whose attempts were ended by a decision: in the daemon the engine interrupts them.
    for (const [attemptId, { ended }] of this.attempts) {
      if (this.rows.find(attempts, attemptId)?.status !== 'ended') continue
      this.attempts.delete(attemptId)
      this.runtime.agents.get(attemptId)?.events.push({ ...exited, exitCode: null, signal: 'SIGTERM' })
      await ended
    }
    if (this.errors.length > 0) throw new Error(this.errors.join('\n'))
  }
}

/** The same in every test, so that a failing order of events can be repeated. */
function repeatableIds(clock: VirtualClock): Ids {
  let state = 1
  const next = (): number => (state = (state * 48_271) % 2_147_483_647)
  return createIds((size) => Uint8Array.from({ length: size }, next), clock)
}

interface Store {
  readonly db: Db
  readonly clock: VirtualClock
  readonly ids: Ids
}

let shared: Promise<Store> | null = null
const openShared = (): Promise<Store> => (shared ??= openMemoryStore())

async function openMemoryStore(): Promise<Store> {
  const clock = createVirtualClock()
  const db = await openSqlite({
    path: ':memory:',
    clock,
    chainKey: testChainKey,
    connection: await connectEmptyStore(),
  })
  await seedOrganisation(db)
  return { db, clock, ids: repeatableIds(clock) }
}

/** A team without limits for parallel agents. */
const openTeam = JSON.stringify({
  runtime: { coding_agent: 'scripted' },
  limits: { max_parallel_agents: 1_000, max_parallel: { t4: null } },
})
