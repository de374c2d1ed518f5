import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { releaseHeld } from './answer.ts'
import { isNearlyUsed, nameOfBudget, usedOf } from './arithmetic.ts'
import { type ScopeParts, scopeOf } from '../scope.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { resolveOrganisation } from '../../org/organisations/find.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import type { Missions } from '../missions/service.ts'
import { requireRun } from '../runs/find.ts'
import { findRun } from '../runs/store.ts'
import { findMission } from '../missions/store.ts'
import type { Budget, BudgetScope, SetBudget } from './contract.ts'
import { microsOf } from './limits.ts'
import { budgets, findBudget, listBudgets, listStoppedRuns, sumBefore, sumReserved } from './store.ts'

export type Budgets = ReturnType<typeof createBudgets>

export function createBudgets({ db, scopes, missions }: { db: Db; scopes: ScopeParts; missions: Missions }) {
  return {
    list: (scope: BudgetScope | undefined, limit: number) =>
      db.read(async (tx) => ({ budgets: await listBudgets(tx, scope, limit) })),

    async set(by: Actor, input: SetBudget): Promise<Budget> {
      const missionId = input.missionId === undefined ? undefined : await missions.resolve(input.missionId)
      const place = await db.read((tx) => placeOf(tx, { ...input, missionId }))
      const budget = await db.write([budgets.stream(place)], (tx) => setLimits(tx, by, place, input))
      await letGoOn(db, scopes, by, budget)
      return budget
    },
  }
}

async function placeOf(tx: ReadTx, { runId, missionId, organisation, persona }: SetBudget): Promise<Budget> {
  if (runId !== undefined) {
    const run = await requireRun(tx, runId)
    if (run.endedAt !== null) throw refusal('illegal_transition', `run ${run.id} is ${run.status} already`)
    return emptyBudget('run', run.id, null)
  }
  if (missionId !== undefined)
    return emptyBudget('mission', missionId, (await findMission(tx, missionId))?.organisationId ?? null)
  if (organisation !== undefined) {
    const { id } = await resolveOrganisation(tx, organisation)
    return emptyBudget('organisation', String(id), id)
  }
  return emptyBudget('persona', String((await resolvePersona(tx, persona as string)).id), null)
}

const emptyBudget = (scope: BudgetScope, scopeId: string, organisationId: number | null): Budget => ({
  scope,
  scopeId,
  organisationId,
  tokenLimit: null,
  costLimitMicros: null,
  tokensSpent: 0,
  microsSpent: 0,
  tokensReserved: 0,
  microsReserved: 0,
  warned: false,
  updatedAt: '',
})

async function setLimits(tx: Tx, by: Actor, place: Budget, { tokens, usd }: SetBudget): Promise<Budget> {
  const known = await findBudget(tx, place.scope, place.scopeId)
  const before = known ?? (await firstState(tx, place))
  const limits = {
    tokenLimit: tokens === undefined ? before.tokenLimit : tokens,
    costLimitMicros: usd === undefined ? before.costLimitMicros : microsOf(usd),
  }
  const limited = { ...before, ...limits, updatedAt: tx.at }
  // A higher limit has its own warning.
  const after = { ...limited, warned: before.warned && isNearlyUsed(limited) }
  const event = {
    kind: 'budget_set' as const,
    by: actorName(by),
    code: 'BUDGET',
    ...(place.scope === 'run' ? { runId: place.scopeId } : {}),
    message: `the budget of ${nameOfBudget(after)}: ${usedOf(after) || 'no limit'}`,
    data: {
      scope: after.scope,
      scope_id: after.scopeId,
      token_limit: after.tokenLimit,
      cost_limit_micros: after.costLimitMicros,
    },
  }
  if (known === undefined) await record(tx, event, [inserted(budgets, after)])
  else await record(tx, event, [updated(budgets, known, { ...limits, warned: after.warned, updatedAt: tx.at })])
  return after
}

/**
 * Earlier use of a run or a mission counts, because the limit is for all of it. For an organisation or a persona the
 * count starts now: a new limit is not meant to be spent on last year.
 */
async function firstState(tx: Tx, place: Budget): Promise<Budget> {
  const { scope, scopeId } = place
  const spent = scope === 'run' || scope === 'mission' ? await sumBefore(tx, scope, scopeId) : { tokens: 0, micros: 0 }
  const reserved = await sumReserved(tx, scope, scopeId)
  return {
    ...place,
    tokensSpent: spent.tokens,
    microsSpent: spent.micros,
    tokensReserved: reserved.tokens,
    microsReserved: reserved.micros,
  }
}

/** Releases each run in a transaction of its own: the higher limit holds even if one of the runs cannot be released now. */
async function letGoOn(db: Db, scopes: ScopeParts, by: Actor, budget: Budget): Promise<void> {
  const hasRoom =
    (budget.tokenLimit === null || budget.tokensSpent < budget.tokenLimit) &&
    (budget.costLimitMicros === null || budget.microsSpent < budget.costLimitMicros)
  if (!hasRoom) return
  for (const runId of await db.read((tx) => listStoppedRuns(tx, budget.scope, budget.scopeId)))
    await db.write([`run:${runId}`], async (tx) => {
      const run = await findRun(tx, runId)
      if (run !== undefined && run.endedAt === null)
        await releaseHeld(scopeOf(scopes, tx, run, actorName(by)), budget.scope, actorName(by))
    })
}
