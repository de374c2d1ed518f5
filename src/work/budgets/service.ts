import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { resolveOrganisation } from '../../org/organisations/find.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import type { Missions } from '../missions/service.ts'
import { findMission } from '../missions/store.ts'
import { requireRun } from '../runs/find.ts'
import { listOpenRunIds } from '../runs/store.ts'
import { withdrawBudgetQuestions } from './answer.ts'
import { isNearlyUsed, isUsedUp, nameOfBudget, nothing, usedOf } from './arithmetic.ts'
import type { Budget, BudgetRow, BudgetScope, SetBudget } from './contract.ts'
import { type BudgetPlace, microsOf, newBudget, placeOfMission, placeOfRun, placeOfTop } from './limits.ts'
import { budgets, findBudget, listBudgets, sumBefore } from './store.ts'
import { listBudgetQuestions } from './waiting-store.ts'

export type Budgets = ReturnType<typeof createBudgets>

export function createBudgets({ db, missions }: { db: Db; missions: Missions }) {
  return {
    list: (scope: BudgetScope | undefined, limit: number, organisationId?: number) =>
      db.read(async (tx) => ({ budgets: await listBudgets(tx, scope, limit, organisationId) })),

    async set(by: Actor, input: SetBudget): Promise<Budget> {
      const missionId = input.missionId === undefined ? undefined : await missions.resolve(input.missionId)
      const place = await db.read((tx) => placeOf(tx, { ...input, missionId }))
      const runIds = await db.read(async (tx) => [
        ...(await listBudgetQuestions(tx, place)).map(({ runId }) => runId),
        // Calls that are recorded at the same time are counted: in the sum of earlier use or in the new budget.
        ...(missionId === undefined ? [] : await listOpenRunIds(tx, missionId)),
      ])
      return db.write([streamOfPlace(place), ...runIds.map((id): Stream => `run:${id}`)], async (tx) => {
        const budget = await setLimits(tx, by, place, input)
        // The engine continues every run that waits for the budget when no question about it is open.
        if (!isUsedUp(budget)) await withdrawBudgetQuestions(tx, budget, actorName(by))
        return budget
      })
    },
  }
}

async function placeOf(tx: ReadTx, { runId, missionId, organisation, persona }: SetBudget): Promise<BudgetPlace> {
  if (runId !== undefined) {
    const run = await requireRun(tx, runId)
    if (run.endedAt !== null) throw refusal('illegal_transition', `run ${run.id} is ${run.status} already`)
    return placeOfRun(run)
  }
  if (missionId !== undefined) {
    const mission = await findMission(tx, missionId)
    if (mission === undefined) throw notFound('mission', missionId)
    return placeOfMission(mission)
  }
  if (organisation !== undefined) return placeOfTop('organisation', (await resolveOrganisation(tx, organisation)).id)
  return placeOfTop('persona', (await resolvePersona(tx, persona as string)).id)
}

const streamOfPlace = (place: BudgetPlace): Stream =>
  budgets.stream(newBudget(place, { tokenLimit: null, costLimitMicros: null }, ''))

async function setLimits(tx: Tx, by: Actor, place: BudgetPlace, { tokens, usd }: SetBudget): Promise<Budget> {
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
    ...(place.runId === null ? {} : { runId: place.runId }),
    message: `${nameOfBudget(after)}: ${usedOf(after) || 'no limit'}`,
    data: {
      scope: after.scope,
      scope_id: after.scopeId,
      token_limit: after.tokenLimit,
      cost_limit_micros: after.costLimitMicros,
    },
  }
  if (known === undefined) await record(tx, event, [inserted(budgets, after)])
  else await record(tx, event, [updated(budgets, known, { ...limits, warned: after.warned, updatedAt: tx.at })])
  return { tokensReserved: 0, microsReserved: 0, ...known, ...after }
}

/**
 * Earlier use of a run or a mission counts, because the limit is for all of it. For an organisation or a persona the
 * count starts now: a new limit is not meant to be spent on last year. Agents at work reserve with their next call.
 */
async function firstState(tx: Tx, place: BudgetPlace): Promise<BudgetRow> {
  const { scope, scopeId } = place
  const spent = scope === 'run' || scope === 'mission' ? await sumBefore(tx, scope, scopeId) : nothing
  const state = newBudget(place, { tokenLimit: null, costLimitMicros: null }, tx.at)
  return { ...state, tokensSpent: spent.tokens, microsSpent: spent.micros }
}
