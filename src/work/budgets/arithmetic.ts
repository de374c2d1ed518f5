import { moneyText } from '../../kernel/amounts.ts'
import { type Account, type Amount, type Budget, BudgetScope, type Holder, type Reservation } from './contract.ts'

export const nothing: Amount = { tokens: 0, micros: 0 }

const units = ['tokens', 'micros'] as const
type Unit = (typeof units)[number]

export interface Refused {
  readonly by: BudgetScope
  readonly reason: string
  /** The budget is not used up: it has room again when another holder returns its reservation. */
  readonly isReserved?: boolean
}

/** The amounts in the order of the accounts, or the budget that has nothing left. */
export type Granted = { readonly amounts: readonly Amount[] } | { readonly refused: Refused }

/**
 * Returns the amounts that an attempt may reserve now, in each account in which it holds nothing: what its brief may
 * still use, but at most a tenth of the smallest limit above the brief, and never more than any of these accounts has
 * left. The attempt reserves more when that is spent, so that several agents share a budget and none blocks all of it.
 * A budget with nothing left of its limit refuses also an attempt that still holds a part: the limit was lowered, or
 * calls of others exceeded it.
 */
export function reserve(accounts: readonly Account[]): Granted {
  const full = accounts.filter(
    (account) =>
      isUsedUp(account.budget) || units.some((unit) => isLacking(account, unit) && roomIn(account.budget, unit) < 1),
  )
  if (full.length > 0) return { refused: refusedBy(full.map(({ budget }) => budget)) }
  const amounts: Amount[] = accounts.map(() => nothing)
  for (const unit of units) {
    const lacking = accounts.filter((account) => isLacking(account, unit))
    const amount = Math.min(wantedFrom(accounts, unit), ...lacking.map(({ budget }) => roomIn(budget, unit)))
    for (const account of lacking) {
      const index = accounts.indexOf(account)
      amounts[index] = { ...(amounts[index] as Amount), [unit]: amount }
    }
  }
  return { amounts }
}

/** Reports whether an account has a limit and nothing that the attempt may use. */
const isLacking = (account: Account, unit: Unit): boolean =>
  limitOf(account.budget, unit) !== null && heldIn(account)[unit] < 1

/**
 * Names one of the budgets with nothing left: one that is used up, which only a higher limit changes, before one that
 * others have reserved; and the nearest first.
 */
export function refusedBy(full: readonly Budget[]): Refused {
  const near = full.toSorted((one, other) => distanceOf(one) - distanceOf(other))
  const budget = near.find(isUsedUp) ?? (near[0] as Budget)
  return isUsedUp(budget)
    ? { by: budget.scope, reason: describeUse(budget) }
    : { by: budget.scope, reason: describeReserved(budget), isReserved: true }
}

const distanceOf = ({ scope }: Budget): number => BudgetScope.options.indexOf(scope)

function wantedFrom(accounts: readonly Account[], unit: Unit): number {
  const limited = accounts.filter(({ budget }) => limitOf(budget, unit) !== null)
  const own = limited.filter(({ budget }) => isOwn(budget))
  const rest = own.map((account) => roomIn(account.budget, unit) + heldIn(account)[unit])
  // A share of a budget in which a delegation has set an amount aside is not needed.
  const shared = own.length === 0 ? limited : limited.filter((each) => !isOwn(each.budget) && isLacking(each, unit))
  const shares = shared.map(({ budget }) => Math.max(1, Math.floor((limitOf(budget, unit) as number) / 10)))
  return Math.min(...rest, ...shares)
}

const isOwn = ({ scope }: Budget): boolean => scope === 'brief' || scope === 'delegation'

/**
 * Sets an amount aside in every account for a new holder, such as a delegation of an attempt: first from the
 * reservations that the accounts list, then from the room that is left. Refused if one account has less.
 */
export function setAside(
  accounts: readonly Account[],
  holder: Omit<Reservation, keyof Amount | 'scope' | 'scopeId'>,
  amount: Amount,
): { accounts: readonly Account[] } | { refused: Refused } {
  for (const account of accounts)
    for (const unit of units) {
      const { budget } = account
      if (limitOf(budget, unit) !== null && heldIn(account)[unit] + Math.max(0, roomIn(budget, unit)) < amount[unit])
        return {
          refused: { by: budget.scope, reason: `${nameOfBudget(budget)} has too little left (${usedOf(budget)})` },
        }
    }
  return {
    accounts: accounts.map((account) => {
      const { holdings, drawn } = draw(account.holdings, amount)
      return afterReserving({ budget: reservedLess(account.budget, drawn), holdings }, holder, amount)
    }),
  }
}

export const heldIn = ({ holdings }: Account): Amount => ({
  tokens: holdings.reduce((sum, each) => sum + each.tokens, 0),
  micros: holdings.reduce((sum, each) => sum + each.micros, 0),
})

/** Takes up to the amount from the reservations, in their order. */
function draw(from: readonly Reservation[], amount: Amount): { holdings: Reservation[]; drawn: Amount } {
  const left = { ...amount }
  const holdings = from.map((each) => {
    const taken = { tokens: Math.min(each.tokens, left.tokens), micros: Math.min(each.micros, left.micros) }
    left.tokens -= taken.tokens
    left.micros -= taken.micros
    return { ...each, tokens: each.tokens - taken.tokens, micros: each.micros - taken.micros }
  })
  return { holdings, drawn: { tokens: amount.tokens - left.tokens, micros: amount.micros - left.micros } }
}

export const withReserved = (budget: Budget, { tokens, micros }: Amount): Budget => ({
  ...budget,
  tokensReserved: budget.tokensReserved + tokens,
  microsReserved: budget.microsReserved + micros,
})

const reservedLess = (budget: Budget, { tokens, micros }: Amount): Budget =>
  withReserved(budget, { tokens: -tokens, micros: -micros })

/** Spends an amount: as far as it was reserved, it moves from reserved to spent. */
export function afterSpending({ budget, holdings: before }: Account, spent: Amount): Account {
  const { holdings, drawn } = draw(before, spent)
  const { tokensSpent, microsSpent } = budget
  return {
    budget: {
      ...reservedLess(budget, drawn),
      tokensSpent: tokensSpent + spent.tokens,
      microsSpent: microsSpent + spent.micros,
    },
    holdings,
  }
}

/** Adds an amount to the reservation of a holder. */
export function afterReserving(
  { budget, holdings }: Account,
  holder: Omit<Reservation, keyof Amount | 'scope' | 'scopeId'>,
  { tokens, micros }: Amount,
): Account {
  if (tokens === 0 && micros === 0) return { budget, holdings }
  const isIts = (each: Holder): boolean => each.holder === holder.holder && each.holderId === holder.holderId
  const { scope, scopeId } = budget
  const own = holdings.find(isIts) ?? { ...holder, scope, scopeId, ...nothing }
  return {
    budget: withReserved(budget, { tokens, micros }),
    holdings: [
      { ...own, tokens: own.tokens + tokens, micros: own.micros + micros },
      ...holdings.filter((each) => !isIts(each)),
    ],
  }
}

const limitOf = (budget: Budget, unit: Unit): number | null =>
  unit === 'tokens' ? budget.tokenLimit : budget.costLimitMicros

const roomIn = (budget: Budget, unit: Unit): number =>
  unit === 'tokens'
    ? (budget.tokenLimit ?? Infinity) - budget.tokensSpent - budget.tokensReserved
    : (budget.costLimitMicros ?? Infinity) - budget.microsSpent - budget.microsReserved

/** Reports whether nothing is left to reserve for another attempt. */
export const isFull = (budget: Budget): boolean =>
  units.some((unit) => limitOf(budget, unit) !== null && roomIn(budget, unit) < 1)

/** Reports whether nothing is left of a limit, apart from reservations. */
export const isUsedUp = ({ tokensSpent, tokenLimit, microsSpent, costLimitMicros }: Spendable): boolean =>
  (tokenLimit !== null && tokensSpent >= tokenLimit) || (costLimitMicros !== null && microsSpent >= costLimitMicros)

export const isNearlyUsed = ({ tokensSpent, tokenLimit, microsSpent, costLimitMicros }: Spendable): boolean =>
  (tokenLimit !== null && tokensSpent >= tokenLimit * 0.8) ||
  (costLimitMicros !== null && microsSpent >= costLimitMicros * 0.8)

type Spendable = Pick<Budget, 'tokensSpent' | 'tokenLimit' | 'microsSpent' | 'costLimitMicros'>
type Named = Spendable & Pick<Budget, 'scope' | 'scopeId'>

export const describeUse = (budget: Named): string => `${nameOfBudget(budget)} is used up (${usedOf(budget)})`

const describeReserved = (budget: Budget): string =>
  `the rest of ${nameOfBudget(budget)} is reserved by other agents (${[
    budget.tokenLimit === null
      ? null
      : `${budget.tokensSpent.toLocaleString('en')} of ${tokensText(budget.tokenLimit)} spent, ${budget.tokensReserved.toLocaleString('en')} reserved`,
    budget.costLimitMicros === null
      ? null
      : `${moneyText(budget.microsSpent)} of ${moneyText(budget.costLimitMicros)} spent, ${moneyText(budget.microsReserved)} reserved`,
  ]
    .filter((part) => part !== null)
    .join('; ')})`

export const usedOf = ({ tokensSpent, tokenLimit, microsSpent, costLimitMicros }: Spendable): string =>
  [
    tokenLimit === null ? null : `${tokensText(tokensSpent)} of ${tokensText(tokenLimit)}`,
    costLimitMicros === null ? null : `${moneyText(microsSpent)} of ${moneyText(costLimitMicros)}`,
  ]
    .filter((part) => part !== null)
    .join(', ')

export const nameOfBudget = ({ scope, scopeId }: Pick<Budget, 'scope' | 'scopeId'>): string => {
  if (scope === 'brief') return 'the brief’s own budget'
  return `the budget of ${scope === 'run' || scope === 'mission' || scope === 'delegation' ? `the ${scope}` : `${scope} ${scopeId}`}`
}

const tokensText = (tokens: number): string => `${tokens.toLocaleString('en')} tokens`
