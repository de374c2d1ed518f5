import { moneyText } from '../../kernel/amounts.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Budget, BudgetScope } from './contract.ts'

/** Tokens and cost, which have separate limits; an amount without a limit is counted too. */
export interface Amount {
  readonly tokens: number
  readonly micros: number
}

export const nothing: Amount = { tokens: 0, micros: 0 }

/** A brief's own limits are stored with it and need no reservation: one attempt at a time uses them. */
export type OwnLimits = Pick<Brief, 'tokenBudget' | 'costLimitMicros' | 'tokensUsed' | 'costMicros'>

export interface Refused {
  readonly by: BudgetScope | 'brief'
  readonly reason: string
}

export type Granted = { readonly amount: Amount } | { readonly refused: Refused }

/**
 * Returns the amount that an attempt may reserve now: all that its brief may still use, or else a tenth of the smallest
 * limit above it, but never more than any budget has left. The attempt reserves more when that is spent, so that
 * several agents share a budget and none blocks all of it. `held` is the unused part of its reservation.
 */
export function reserve(own: OwnLimits, above: readonly Budget[], held: Amount = nothing): Granted {
  const tokens = chunk(own.tokenBudget, own.tokensUsed, above.map(inTokens), held.tokens)
  if (typeof tokens === 'string') return refuse(tokens, own, above)
  const micros = chunk(own.costLimitMicros, own.costMicros, above.map(inMicros), held.micros)
  if (typeof micros === 'string') return refuse(micros, own, above)
  return { amount: { tokens, micros } }
}

interface Line {
  readonly scope: BudgetScope
  readonly limit: number | null
  readonly room: number
}

const inTokens = (budget: Budget): Line => ({
  scope: budget.scope,
  limit: budget.tokenLimit,
  room: (budget.tokenLimit ?? Infinity) - budget.tokensSpent - budget.tokensReserved,
})

const inMicros = (budget: Budget): Line => ({
  scope: budget.scope,
  limit: budget.costLimitMicros,
  room: (budget.costLimitMicros ?? Infinity) - budget.microsSpent - budget.microsReserved,
})

/** Returns zero if nothing is limited or enough is held, or the scope of the limit that is used up. */
function chunk(
  ownLimit: number | null,
  used: number,
  lines: readonly Line[],
  held: number,
): number | BudgetScope | 'brief' {
  const limited = lines.filter((line) => line.limit !== null)
  if (held > 0 || (ownLimit === null && limited.length === 0)) return 0
  const own = ownLimit === null ? null : ownLimit - used
  if (own !== null && own < 1) return 'brief'
  const full = limited.find((line) => line.room < 1)
  if (full !== undefined) return full.scope
  const wanted = own ?? Math.min(...limited.map((line) => Math.max(1, Math.floor((line.limit as number) / 10))))
  return Math.min(wanted, ...limited.map((line) => line.room))
}

function refuse(by: BudgetScope | 'brief', own: OwnLimits, above: readonly Budget[]): Granted {
  const budget = above.find((each) => each.scope === by)
  const reason = budget === undefined ? `the brief’s own budget is used up (${usedOfOwn(own)})` : describeUse(budget)
  return { refused: { by, reason } }
}

const usedOfOwn = (own: OwnLimits): string =>
  parts([
    [own.tokensUsed, own.tokenBudget, tokensText],
    [own.costMicros, own.costLimitMicros, moneyText],
  ])

export const describeUse = (budget: Budget): string =>
  `the budget of ${nameOfBudget(budget)} is used up (${usedOf(budget)})`

export const usedOf = (budget: Budget): string =>
  parts([
    [budget.tokensSpent, budget.tokenLimit, tokensText],
    [budget.microsSpent, budget.costLimitMicros, moneyText],
  ])

const parts = (lines: [used: number, limit: number | null, text: (value: number) => string][]): string =>
  lines
    .filter(([, limit]) => limit !== null)
    .map(([used, limit, text]) => `${text(used)} of ${text(limit as number)}`)
    .join(', ')

export const nameOfBudget = ({ scope, scopeId }: Pick<Budget, 'scope' | 'scopeId'>): string =>
  scope === 'run' || scope === 'mission' ? `the ${scope}` : `${scope} ${scopeId}`

const tokensText = (tokens: number): string => `${tokens.toLocaleString('en')} tokens`

/** Moves a spent amount from reserved to spent. */
export const afterSpending = (budget: Budget, spent: Amount, from: Amount): Budget => ({
  ...budget,
  tokensSpent: budget.tokensSpent + spent.tokens,
  microsSpent: budget.microsSpent + spent.micros,
  // A budget that was set while the agent worked does not contain its reservation.
  tokensReserved: Math.max(0, budget.tokensReserved - from.tokens),
  microsReserved: Math.max(0, budget.microsReserved - from.micros),
})

export const afterReserving = (budget: Budget, amount: Amount): Budget => ({
  ...budget,
  tokensReserved: budget.tokensReserved + amount.tokens,
  microsReserved: budget.microsReserved + amount.micros,
})

export const isNearlyUsed = ({ tokensSpent, tokenLimit, microsSpent, costLimitMicros }: Budget): boolean =>
  (tokenLimit !== null && tokensSpent >= tokenLimit * 0.8) ||
  (costLimitMicros !== null && microsSpent >= costLimitMicros * 0.8)

export const isUsedUp = ({ tokensUsed, tokenBudget, costMicros, costLimitMicros }: OwnLimits): boolean =>
  (tokenBudget !== null && tokensUsed >= tokenBudget) || (costLimitMicros !== null && costMicros >= costLimitMicros)
