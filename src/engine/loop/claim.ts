import { agents, nextAgentIds } from '../../work/agents/store.ts'
import type { ReadTx, Stream, Tx } from '../../db/port.ts'
import { inserted } from '../../events/change.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { attempts, findAttempt } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { listBusySeats, type Work } from '../../work/briefs/ready-store.ts'
import { listBriefsById } from '../../work/briefs/store.ts'
import type { Account, Amount } from '../../work/budgets/contract.ts'
import { findHolder } from '../../org/assignments/store.ts'
import { listAccountsAbove } from '../../work/budgets/store.ts'
import { listWaiting } from '../../work/budgets/waiting-store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import { listHolds, lookForObstacles } from '../../work/stops/store.ts'
import { continueWaiting, holdForBudget } from '../../work/budgets/ask.ts'
import { accountsOf, openAccounts, reservationsIn, streamsOf } from '../../work/budgets/moves.ts'
import { beginningOf } from '../../work/briefs/branches.ts'
import { withinCaps } from './caps.ts'
import type { Pauses } from './pauses.ts'
import { createSearch, type Search } from './search.ts'
import type { EngineDeps } from '../deps.ts'
import { afterReserving, reserve, withReserved } from '../../work/budgets/arithmetic.ts'
import { passOnIfVacated } from '../../work/questions/resolve.ts'
import { type RunScope, scopeOf } from '../../work/scope.ts'
import { pauseWithFault } from '../outcome/fault.ts'
import { isPassing } from '../persist.ts'
import { moveBrief } from '../../work/briefs/moves.ts'
import type { Claimed } from '../attempt/start.ts'

export interface ClaimRound {
  claimed: Claimed[]
  /** A stop is in force somewhere. */
  stopped: boolean
  /** Evidence of an attempt waits to be checked. */
  reported: boolean
  /** The time, by the clock of this process, at which a provider takes launches again or the pause of a run ends. */
  wakeAtMs: number | null
  /** Briefs of a run could not be claimed; it is left out for a while. */
  hasFailed: boolean
}

/**
 * Claims up to `limit` ready briefs, one transaction per run. The search takes no locks; each brief is read again under
 * the run's stream, so that only one of two workers that found it gets it.
 */
export async function claimBriefs(
  deps: EngineDeps,
  limit: number,
  search: Search = createSearch(deps.clock, deps.playbooks),
): Promise<ClaimRound> {
  const { ready, stopped, reported, heldForMs, waiting, streams } = await deps.db.read(async (tx) => {
    const { heldUntil, ...work } = await search.findWork(tx, limit)
    const heldForMs = heldUntil === null ? null : Date.parse(heldUntil) - Date.parse(tx.at)
    const waiting = work.lacking ? await listWaiting(tx, limit) : []
    // An embedded store has one writer, so the order of locks does not matter.
    const streams = deps.db.kind === 'postgres' ? await streamsByRun(tx, work) : noStreams
    return { ...work, heldForMs, waiting, streams }
  })
  const byRun = Map.groupBy(ready, (each) => each.runId)
  const paused = new Set(search.pauses.runIds())
  const results = await Promise.all([
    ...[...byRun].map(([runId, found]) =>
      orPause(deps, search, runId, () =>
        deps.db.write([`run:${runId}`, ...(streams.get(runId) ?? [])], (tx) =>
          claimOfRun(
            deps,
            tx,
            runId,
            found.map((each) => each.briefId),
          ),
        ),
      ),
    ),
    ...waiting
      .filter(({ runId }) => !paused.has(runId))
      .map((each) =>
        orPause(deps, search, each.runId, () =>
          deps.db.write([`run:${each.runId}`], async (tx) => {
            const run = await findRun(tx, each.runId)
            if (run !== undefined) await continueWaiting(scopeOf(deps, tx, run, 'engine'), each)
            return []
          }),
        ),
      ),
  ])
  // Claimed briefs are launched, also when another run's transaction failed.
  const claimed = results.flatMap((result) => result ?? [])
  const ends = [heldForMs === null ? null : deps.clock.nowMs() + heldForMs, search.pauses.nextEndMs()].filter(
    (each) => each !== null,
  )
  return {
    claimed,
    stopped,
    reported,
    wakeAtMs: ends.length === 0 ? null : Math.min(...ends),
    hasFailed: results.includes(null),
  }
}

/**
 * Claims of one run. If that fails, the run is left out for a while, so that it holds up no other run; after some
 * failures the operator is asked. Resolves to null after a failure. One that the store caused is retried with the next
 * search.
 */
async function orPause(
  deps: EngineDeps,
  { pauses }: Search,
  runId: string,
  claimAll: () => Promise<Claimed[]>,
): Promise<Claimed[] | null> {
  try {
    const claimed = await claimAll()
    pauses.end(runId)
    return claimed
  } catch (error) {
    if (isPassing(error)) {
      deps.log.error('the store did not take the claims of a run', { run: runId, error: String(error) })
      return []
    }
    const pauseMs = pauses.begin(runId)
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
    deps.log.error('a run’s briefs could not be claimed; it is left out for a while', {
      run: runId,
      pauseMs,
      error: fault,
    })
    if (pauseMs === null) await ask(deps, pauses, runId, error)
    return null
  }
}

async function ask(deps: EngineDeps, pauses: Pauses, runId: string, error: unknown): Promise<void> {
  try {
    await pauseWithFault(deps, runId, error instanceof Error ? error.message : String(error))
    pauses.end(runId)
  } catch (failure) {
    deps.log.error('the operator could not be asked about a run that cannot be claimed', {
      run: runId,
      error: String(failure),
    })
  }
}

const noStreams: ReadonlyMap<string, readonly Stream[]> = new Map()

/**
 * Returns the streams of budgets before the transaction begins, so that all transactions lock them in the same order. A
 * seat belongs to the stream of its organisation, under which only one of two runs gets it.
 */
async function streamsByRun(
  tx: ReadTx,
  { ready, budgeted }: Pick<Work, 'ready' | 'budgeted'>,
): Promise<ReadonlyMap<string, readonly Stream[]>> {
  const streams = new Map<string, readonly Stream[]>()
  for (const [runId, found] of Map.groupBy(ready, (each) => each.runId)) {
    const { missionId, organisationId } = found[0] as Work['ready'][number]
    const personaIds = [...new Set(found.map((each) => each.personaId))]
    const briefIds = found.map((each) => each.briefId)
    const above = budgeted
      ? streamsOf(await listAccountsAbove(tx, { runId, missionId, organisationId, personaIds, briefIds }))
      : []
    const seats: Stream[] = found.some(({ positionId }) => positionId !== null) ? [`org:${organisationId}`] : []
    streams.set(runId, [...new Set([...above, ...seats])])
  }
  return streams
}

async function claimOfRun(deps: EngineDeps, tx: Tx, runId: string, briefIds: readonly string[]): Promise<Claimed[]> {
  const run = await findRun(tx, runId)
  if (run === undefined || run.status !== 'running' || deps.mayClaim?.() === false) return []
  const { stopped, limited, budgeted } = await lookForObstacles(tx, run.organisationId)
  if (stopped) return []
  const scope = scopeOf(deps, tx, run, 'engine')
  const held = new Set(limited ? (await listHolds(tx, tx.at)).map((hold) => hold.provider) : [])
  const open = (await listBriefsById(tx, briefIds)).filter(
    (brief) => isReady(brief) && !held.has(brief.provider) && mayStart(run, brief),
  )
  const seated = await withinSeats(tx, await stillSeated(scope, open))
  const ready = await withinBudget(scope, await withinCaps(scope, seated), budgeted)
  if (ready.length === 0) return []
  const firstAgentId = await nextAgentIds(tx, ready.length)
  const claimed: Claimed[] = []
  for (const [index, affordable] of ready.entries())
    claimed.push(await claim(deps, scope, affordable, firstAgentId + index))
  if (claimed.length === briefIds.length && !budgeted) tx.makesNothingReady()
  return claimed
}

/** Returns the briefs without the second and further ones of each seat, whether its first is at work or in the list. */
async function withinSeats(tx: ReadTx, briefs: readonly Brief[]): Promise<Brief[]> {
  const seats = briefs.flatMap(({ positionId }) => (positionId === null ? [] : [positionId]))
  if (seats.length === 0) return [...briefs]
  const busy = await listBusySeats(tx, [...new Set(seats)])
  return briefs.filter(({ positionId }) => {
    if (positionId === null) return true
    const isFree = !busy.has(positionId)
    busy.add(positionId)
    return isFree
  })
}

/** Returns the seat that the agent of a brief holds: none, once its persona has left the seat. */
async function seatHeld(tx: ReadTx, { positionId, personaId }: Brief): Promise<number | null> {
  if (positionId === null) return null
  return (await findHolder(tx, positionId))?.personaId === personaId ? positionId : null
}

/** Leaves out briefs whose persona has left the seat that is asked: their questions go on to the next rung. */
async function stillSeated(scope: RunScope, found: readonly Brief[]): Promise<Brief[]> {
  const seated: Brief[] = []
  for (const brief of found) if (!(await passOnIfVacated(scope, brief))) seated.push(brief)
  return seated
}

interface Affordable {
  brief: Brief
  accounts: readonly Account[]
  /** What it may reserve in each of the accounts. */
  amounts: readonly Amount[]
}

/**
 * Returns the briefs for which an amount can be reserved. A brief that has used up its own limit is held with a
 * question; questions about the budgets above it are asked later.
 */
async function withinBudget(scope: RunScope, found: readonly Brief[], budgeted: boolean): Promise<Affordable[]> {
  let all = budgeted && found.length > 0 ? await openAccounts(scope, found) : []
  const ready: Affordable[] = []
  for (const brief of found) {
    const accounts = accountsOf(all, brief)
    const granted = reserve(accounts)
    if ('amounts' in granted) {
      const { amounts } = granted
      all = all.map((account) => {
        const amount = amounts[accounts.indexOf(account)]
        return amount === undefined ? account : { ...account, budget: withReserved(account.budget, amount) }
      })
      ready.push({ brief, accounts, amounts })
    } else if (granted.refused.by === 'brief' && granted.refused.isReserved !== true)
      await holdForBudget(scope, brief, granted.refused)
    if (scope.run.endedAt !== null) return []
  }
  // A brief without a budget may have failed, and with it the run.
  return ready.filter(({ brief }) => mayStart(scope.run, brief))
}

/** In a run with a failure only the briefs start that are to resolve it. */
const mayStart = (run: Run, brief: Brief): boolean =>
  run.briefsFailed === 0 || (brief.startsAfterFailure && !run.abandoned)

const isReady = (brief: Brief): boolean =>
  brief.status === 'pending' && brief.unmetDependencies === 0 && brief.holdCount === 0

async function claim(
  deps: EngineDeps,
  scope: RunScope,
  { brief, accounts, amounts }: Affordable,
  agentId: number,
): Promise<Claimed> {
  const { tx, run } = scope
  // A runtime that was removed after the run was made fails the launch; a failure here would hold up all briefs.
  const capabilities = deps.runtimes.get(brief.runtime)?.capabilities
  const fence = brief.attempts + 1
  const attempt: Attempt = {
    id: deps.ids.next('attempt'),
    runId: run.id,
    briefId: brief.id,
    agentId,
    fence,
    worker: deps.worker,
    runtime: brief.runtime,
    simulated: capabilities?.simulated ?? false,
    boxed: false,
    status: 'launching',
    pid: null,
    outcome: null,
    detail: null,
    report: null,
    outputs: [],
    inputsSeen: [],
    promptSha256: null,
    systemPromptSha256: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    budgeted: amounts.some(({ tokens, micros }) => tokens > 0 || micros > 0),
    session: capabilities?.resume === true ? await sessionOf(tx, brief) : null,
    exitCode: null,
    used: null,
    denied: [],
    ending: null,
    heldBy: null,
    checkedIn: null,
    odd: [],
    contradiction: null,
    createdAt: tx.at,
    startedAt: null,
    endedAt: null,
  }
  const agent = {
    id: agentId,
    personaId: brief.personaId,
    positionId: await seatHeld(tx, brief),
    previousAgentId: null,
    runId: run.id,
    runtime: brief.runtime,
    state: 'starting' as const,
    createdAt: tx.at,
    endedAt: null,
  }
  const holder = { holder: 'attempt' as const, holderId: attempt.id, runId: run.id, organisationId: run.organisationId }
  const reserved = accounts.map((account, index) => afterReserving(account, holder, amounts[index] as Amount))
  const assigned = await moveBrief(scope, brief, 'assigned', {
    kind: 'assigned',
    level: 'verbose',
    message: `${brief.key} assigned to agent ${agentId}`,
    attemptId: attempt.id,
    data: { fence, worker: deps.worker },
    patch: {
      attempts: fence,
      attemptId: attempt.id,
      ...(await beginningOf(scope, brief, { isResumed: attempt.session !== null })),
    },
    also: [inserted(agents, agent), inserted(attempts, attempt), ...reservationsIn(reserved)],
  })
  return { run, brief: assigned, attempt, streams: streamsOf(accounts) }
}

/**
 * Returns the session to resume: that of an attempt that was stopped or waited for an answer, but not of one that did
 * bad work. A crash may have had an outside cause, so its session is resumed once; a second crash is attributed to the
 * session.
 */
async function sessionOf(tx: Tx, brief: Brief): Promise<string | null> {
  const last = brief.attemptId === null ? undefined : await findAttempt(tx, brief.attemptId)
  if (last === undefined) return null
  const goesOn = resumable.has(last.outcome ?? '') || (last.outcome === 'crash' && brief.crashRetries <= 1)
  return goesOn ? last.session : null
}

const resumable: ReadonlySet<string> = new Set(['interrupted', 'blocked', 'budget'])
