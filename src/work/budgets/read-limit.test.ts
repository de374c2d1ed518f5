import { describe, expect, it } from 'vitest'

import type { Budget } from './contract.ts'
import { raised, readLimit } from './read-limit.ts'

const budget = (over: Partial<Budget> = {}): Budget =>
  ({ tokenLimit: null, tokensSpent: 0, costLimitMicros: 1_000_000, microsSpent: 1_020_000, ...over }) as Budget
const limitAfter = (answer: string, over: Partial<Budget> = {}) => raised(budget(over), readLimit(answer))

describe('an amount in an answer', () => {
  it('is the new limit, in dollars or tokens, with a unit or without', () => {
    for (const answer of ['$2.50', '2.5', '2.50 usd', 'make it $2.50, please'])
      expect(limitAfter(answer), answer).toMatchObject({ costLimitMicros: 2_500_000 })
    const tokens = { tokenLimit: 100, tokensSpent: 120, costLimitMicros: null }
    for (const answer of ['5000', '5,000 tokens'])
      expect(limitAfter(answer, tokens), answer).toMatchObject({ tokenLimit: 5_000 })
  })

  it('is added to the limit, or to the amount spent above it, if it says so', () => {
    for (const answer of ['+$1', '+ $1', '+1', '$1 more', 'another dollar? yes, another $1', 'raise it by 1 dollar'])
      expect(limitAfter(answer), answer).toMatchObject({ costLimitMicros: 2_020_000 })
    expect(limitAfter('+$1', { microsSpent: 999_999 })).toMatchObject({ costLimitMicros: 2_000_000 })
    expect(limitAfter('+50', { tokenLimit: 100, tokensSpent: 120, costLimitMicros: null })).toMatchObject({
      tokenLimit: 170,
    })
  })

  it('doubles the limit if the word is double', () => {
    for (const answer of ['double', 'Double it.', 'double the limit'])
      expect(limitAfter(answer), answer).toMatchObject({ costLimitMicros: 2_020_000 })
  })

  it('is refused with the reason if it is none, too little, or of a unit that is not limited', () => {
    for (const answer of ['please', '-5', '1e6', '50k', 'a+5', 'US$5', 'more', 'double trouble'])
      expect(() => limitAfter(answer), answer).toThrow('is no limit')
    expect(() => limitAfter('$1.01')).toThrow('higher than the amount already spent')
    expect(() => limitAfter('+500 tokens')).toThrow('limits the cost, not tokens')
    expect(() => limitAfter('+$1', { tokenLimit: 100, tokensSpent: 120, costLimitMicros: null })).toThrow(
      'limits tokens, not the cost',
    )
  })
})
