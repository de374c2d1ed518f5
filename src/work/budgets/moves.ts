import type { Stream, Tx } from '../../db/port.ts'
import { appendEvent } from '../../events/append.ts'
import { type Change, deleted, inserted, record, updated } from '../../events/change.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import type { RunScope } from '../scope.ts'
import { isNearlyUsed, nameOfBudget, usedOf } from './arithmetic.ts'
import type { Account, Budget, BudgetRow, BudgetScope, Reservation } from './contract.ts'
import { listReservationsOf, reservations } from './reservations-store.ts'
import { type Beneath, budgets, listAccountsAbove } from './store.ts'

/**
 * Returns the budgets above these briefs and locks their streams before the final read. A caller that knows the streams
 * before the transaction locks them at its start; if locks taken late conflict with others, PostgreSQL repeats one of the
 * two transactions.
 */
export function openAccounts(
  scope: RunScope,
  found: readonly Pick<Brief, 'id' | 'personaId'>[],
  attemptId: string | null = null,
): Promise<Account[]> {
  const beneath = beneathOf(scope, found)
  return lockAccounts(scope.tx, `run:${scope.run.id}`, () => listAccountsAbove(scope.tx, beneath, attemptId))
}

/** Reads accounts, locks those of other streams, and reads again what others may have changed before. */
export async function lockAccounts(tx: Tx, own: Stream, list: () => Promise<Account[]>): Promise<Account[]> {
  const found = await list()
  const others = streamsOf(found).filter((stream) => stream !== own)
  for (const stream of others) await tx.lock(stream)
  return others.length === 0 ? found : list()
}

export const beneathOf = (
  { run }: Pick<RunScope, 'run'>,
  found: readonly Pick<Brief, 'id' | 'personaId'>[],
): Beneath => ({
  runId: run.id,
  missionId: run.missionId,
  organisationId: run.organisationId,
  personaIds: [...new Set(found.map((brief) => brief.personaId))],
  briefIds: found.map((brief) => brief.id),
})

export const streamsOf = (accounts: readonly Account[]): Stream[] =>
  [...new Set(accounts.map(({ budget }) => budgets.stream(budget)))].sort()

/**
 * Returns the accounts of one brief among those of several: its own, its persona's, the run's, and all above them. Of
 * two with the same scope, the nearer one comes first.
 */
export function accountsOf(all: readonly Account[], { id, personaId }: Pick<Brief, 'id' | 'personaId'>): Account[] {
  const isFirst = ({ scope, scopeId }: Budget): boolean =>
    scope === 'brief' ? scopeId === id : scope === 'persona' ? scopeId === String(personaId) : scope !== 'delegation'
  const wanted = new Set(all.filter(({ budget }) => isFirst(budget)))
  for (const { budget } of wanted) {
    const parent = all.find(
      (each) => each.budget.scope === budget.parentScope && each.budget.scopeId === budget.parentId,
    )
    if (parent !== undefined) wanted.add(parent)
  }
  return [...wanted]
}

/** Returns, for each of these briefs, the budget that a hold with this subject names. */
export async function budgetsOfHold(
  scope: RunScope,
  held: BudgetScope,
  found: readonly Pick<Brief, 'id' | 'personaId'>[],
): Promise<(Budget | undefined)[]> {
  const all = found.length === 0 ? [] : await listAccountsAbove(scope.tx, beneathOf(scope, found))
  return found.map((brief) => accountsOf(all, brief).find(({ budget }) => budget.scope === held)?.budget)
}

interface About {
  by: string
  message: string
  runId?: string
  briefId?: string
  attemptId?: string
}

/**
 * Records changes of accounts. Changes of rows in the caller's own stream are returned, to be part of its event; each
 * other stream gets one event.
 */
export async function changeAccounts(
  tx: Tx,
  own: Stream,
  before: readonly Account[],
  after: readonly Account[],
  about: About,
): Promise<Change[]> {
  const changes: Change[] = []
  const elsewhere = new Map<Stream, Change[]>()
  for (const [index, { budget, holdings }] of before.entries()) {
    const next = after[index] as Account
    changes.push(...reservationChanges(holdings, next.holdings))
    const patch = changed(budget, next.budget)
    if (patch === null) continue
    const change = updated(budgets, budget, { ...patch, updatedAt: tx.at })
    const stream = budgets.stream(budget)
    if (stream === own) changes.push(change)
    else elsewhere.set(stream, [...(elsewhere.get(stream) ?? []), change])
  }
  for (const updates of elsewhere.values())
    await record(tx, { kind: 'budget_changed', level: 'verbose', data: {}, ...about }, updates)
  return changes
}

/** Returns the changes that store the reservations of a new holder. */
export const reservationsIn = (accounts: readonly Account[]): Change[] =>
  accounts.flatMap(({ holdings }) => reservationChanges([], holdings))

function reservationChanges(before: readonly Reservation[], after: readonly Reservation[]): Change[] {
  return after.flatMap((next) => {
    const known = before.find((each) => each.holder === next.holder && each.holderId === next.holderId)
    if (known === undefined) return [inserted(reservations, next)]
    const { tokens, micros } = next
    return tokens === known.tokens && micros === known.micros ? [] : [updated(reservations, known, { tokens, micros })]
  })
}

const stored = ['tokensSpent', 'microsSpent', 'warned'] as const

function changed(before: Budget, after: Budget): Partial<BudgetRow> | null {
  const names = stored.filter((name) => after[name] !== before[name])
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, after[name]]))
}

/** Returns the changes that release the reservations of an attempt whose agent has ended. */
export async function giveBack(
  { tx }: Pick<RunScope, 'tx'>,
  attempt: Pick<Attempt, 'id' | 'budgeted'>,
): Promise<Change[]> {
  if (!attempt.budgeted) return []
  return (await listReservationsOf(tx, 'attempt', [attempt.id])).map((each) => deleted(reservations, each))
}

/** Marks budgets with four fifths of a limit spent, once for each limit. */
export function warned(after: readonly Account[]): { after: Account[]; warnings: Budget[] } {
  const isNew = ({ budget }: Account): boolean => !budget.warned && isNearlyUsed(budget)
  return {
    after: after.map((each) => (isNew(each) ? { ...each, budget: { ...each.budget, warned: true } } : each)),
    warnings: after.filter(isNew).map(({ budget }) => budget),
  }
}

export async function tellWarnings(scope: RunScope, warnings: readonly Budget[], brief: Brief): Promise<void> {
  const { tx, run } = scope
  for (const budget of warnings) {
    const isOwn = budget.scope === 'brief'
    const name = isOwn ? `the budget of ${brief.key}` : nameOfBudget(budget)
    const message = `${name} is nearly used up: ${usedOf(budget)}`
    await appendEvent(tx, `run:${run.id}`, {
      kind: 'budget_warning',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      level: 'normal',
      code: 'BUDGET',
      message,
      data: { scope: budget.scope, scope_id: budget.scopeId },
    })
    // People are not notified about single briefs, which a plan may limit by the hundred.
    if (isOwn) continue
    await scope.notify(tx, {
      kind: 'budget_warning',
      title: message,
      summary: 'Agents are interrupted when it is used up; a higher limit lets them continue.',
      actions: [{ label: 'Show', command: 'agency budget list' }],
      runId: run.id,
      organisationId: run.organisationId,
      object: `budget:${budget.scope}:${budget.scopeId}`,
      state: `warned at ${budget.tokenLimit ?? '-'}/${budget.costLimitMicros ?? '-'}`,
    })
  }
}
