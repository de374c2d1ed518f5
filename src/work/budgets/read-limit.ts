import { refusal } from '../../kernel/errors.ts'
import type { Budget } from './contract.ts'

/** A limit that an answer names. */
export interface WantedLimit {
  readonly unit: 'tokens' | 'micros' | null
  /** Tokens or millionths of a dollar; without a unit, the number as it was written. */
  readonly amount: number
  /** The amount is added, as in `+$1` or `$1 more`. */
  readonly isMore: boolean
}

/** The highest limits that `agency budget set` accepts as well. */
const most = { tokens: 1e12, usd: 1e6 }

/**
 * Reads `5000`, `5000 tokens`, `$2.50` or `2.50 usd`, and `+$1` or `another $1`, also within other words, but no part of
 * `-5`, `1e6` or `50k`. Returns null for a word that doubles the limit.
 */
export function readLimit(answer: string): WantedLimit | null {
  if (/^\s*double(?:\s+it|\s+the limit)?[.!]?\s*$/i.test(answer)) return null
  const found = /(?<![\w.,$+-])(\+\s*)?(\$\s*)?(\d[\d,_]*(?:\.\d+)?)\s*(usd|dollars?|\$|tokens?)?(?![\w$])/i.exec(
    answer,
  )
  const value = Number((found?.[3] ?? '').replaceAll(/[,_]/g, ''))
  const isMoney = found?.[2] !== undefined || /usd|dollar|\$/i.test(found?.[4] ?? '')
  if (found === null || !(value > 0) || value > (isMoney ? most.usd : most.tokens))
    throw refusal('invalid_input', `"${answer.slice(0, 100)}" is no limit`, {
      hint: 'Answer raise, abandon, a number of tokens such as 50000, an amount such as $2.50, or +$1 for one dollar more.',
    })
  const isMore = found[1] !== undefined || /\b(?:more|another|additional|extra|add|by)\b/i.test(answer)
  if (isMoney) return { unit: 'micros', amount: Math.ceil(value * 1e6), isMore }
  return found[4] === undefined
    ? { unit: null, amount: value, isMore }
    : { unit: 'tokens', amount: Math.floor(value), isMore }
}

/** Reports whether a number without a unit means dollars: if only the cost is limited or used up. */
export const meansCost = ({ tokenLimit, tokensSpent, costLimitMicros, microsSpent }: Budget): boolean =>
  tokenLimit === null || (costLimitMicros !== null && microsSpent >= costLimitMicros && tokensSpent < tokenLimit)

/**
 * Doubles each limit that is still used up: another answer or a new limit may have made room meanwhile. A limit that the
 * answer names must exceed the amount already spent; an amount that is added counts from the higher of both.
 */
export function raised(budget: Budget, wanted: WantedLimit | null): Pick<Budget, 'tokenLimit' | 'costLimitMicros'> {
  const named = wanted === null ? null : withUnit(wanted, budget)
  const next = (unit: 'tokens' | 'micros', limit: number | null, spent: number): number | null => {
    if (named?.unit !== unit) {
      if (limit === null) return null
      return spent >= limit ? Math.max(limit * 2, spent + limit) : limit
    }
    if (named.isMore && limit === null)
      throw refusal(
        'invalid_input',
        `this budget limits ${unit === 'tokens' ? 'the cost, not tokens' : 'tokens, not the cost'}`,
        {
          hint: unit === 'tokens' ? 'Answer an amount such as +$1.' : 'Answer a number of tokens such as +50000.',
        },
      )
    const asked = named.isMore ? Math.max(limit ?? 0, spent) + named.amount : named.amount
    if (asked <= spent)
      throw refusal('invalid_input', 'the limit must be higher than the amount already spent', {
        data: { spent, limit: asked },
      })
    return asked
  }
  return {
    tokenLimit: next('tokens', budget.tokenLimit, budget.tokensSpent),
    costLimitMicros: next('micros', budget.costLimitMicros, budget.microsSpent),
  }
}

function withUnit(wanted: WantedLimit, budget: Budget): WantedLimit {
  if (wanted.unit !== null) return wanted
  if (!meansCost(budget)) return { ...wanted, unit: 'tokens', amount: Math.floor(wanted.amount) }
  if (wanted.amount > most.usd)
    throw refusal('invalid_input', `$${wanted.amount.toLocaleString('en')} is no limit`, {
      hint: `The highest limit is $${most.usd.toLocaleString('en')}.`,
    })
  return { ...wanted, unit: 'micros', amount: Math.ceil(wanted.amount * 1e6) }
}
