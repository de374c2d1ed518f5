import { describe, expect, it } from 'vitest'

import { afterReserving, afterSpending, heldIn, nothing, reserve, setAside } from './arithmetic.ts'
import type { Account, Amount, Budget, BudgetScope, Reservation } from './contract.ts'

const budget = (scope: BudgetScope, scopeId: string, tokenLimit: number | null, spent = 0): Budget => ({
  scope,
  scopeId,
  parentScope: null,
  parentId: null,
  runId: null,
  organisationId: null,
  tokenLimit,
  costLimitMicros: null,
  tokensSpent: spent,
  microsSpent: 0,
  tokensReserved: 0,
  microsReserved: 0,
  warned: false,
  updatedAt: '',
})

const of = (holder: Reservation['holder'], holderId: string) => ({ holder, holderId, runId: 'r', organisationId: 1 })
const tokens = (count: number): Amount => ({ tokens: count, micros: 0 })
const accountsOf = (...budgets: Budget[]): Account[] => budgets.map((each) => ({ budget: each, holdings: [] }))
const granted = (accounts: readonly Account[]): number[] => {
  const result = reserve(accounts)
  if ('refused' in result) throw new Error(result.refused.reason)
  return result.amounts.map((amount) => amount.tokens)
}

describe('a reservation', () => {
  it('is what the brief may still use, at most a tenth of the smallest limit, and never more than is left', () => {
    expect(granted(accountsOf(budget('brief', 'b', 50, 20), budget('run', 'r', 1_000)))).toEqual([30, 30])
    expect(granted(accountsOf(budget('organisation', '1', 5_000), budget('run', 'r', 1_000)))).toEqual([100, 100])
    expect(granted(accountsOf(budget('run', 'r', 1_000, 993)))).toEqual([7])
    expect(granted(accountsOf(budget('run', 'r', null)))).toEqual([0])
    expect(granted(accountsOf(budget('brief', 'b', 50_000), budget('persona', '2', 3_410)))).toEqual([341, 341])
    expect(granted(accountsOf(budget('brief', 'b', 50_000)))).toEqual([50_000])
    expect(granted([])).toEqual([])
  })

  it('is refused by a used-up budget before one that others have reserved, and by the nearest', () => {
    const reserved = { ...budget('organisation', '1', 3_410, 2_830), tokensReserved: 580 }
    const run = budget('run', 'r', 1_000, 1_100)
    const reason = 'the budget of the run is used up (1,100 tokens of 1,000 tokens)'
    expect(reserve(accountsOf(reserved, run))).toEqual({ refused: { by: 'run', reason } })
    const both = accountsOf(budget('organisation', '1', 10, 10), budget('persona', '2', 10, 10), run)
    expect(reserve(both)).toMatchObject({ refused: { by: 'run' } })
    expect(reserve(accountsOf(reserved, budget('run', 'r', 1_000)))).toEqual({
      refused: {
        by: 'organisation',
        reason:
          'the rest of the budget of organisation 1 is reserved by other agents (2,830 of 3,410 tokens spent, 580 reserved)',
        isReserved: true,
      },
    })
    const paid = {
      ...budget('run', 'r', null),
      costLimitMicros: 5_000_000,
      microsSpent: 1_000_000,
      microsReserved: 4e6,
    }
    expect(reserve(accountsOf(paid))).toMatchObject({
      refused: {
        reason: 'the rest of the budget of the run is reserved by other agents ($1.00 of $5.00 spent, $4.00 reserved)',
      },
    })
  })

  it('is refused by a used-up budget, which the reason names', () => {
    const [brief, run] = [budget('brief', 'b', 50, 50), budget('run', 'r', 1_000)]
    expect(reserve(accountsOf(brief, run))).toEqual({
      refused: { by: 'brief', reason: 'the brief’s own budget is used up (50 tokens of 50 tokens)' },
    })
    expect(reserve(accountsOf(budget('run', 'r', 10, 10)))).toMatchObject({ refused: { by: 'run' } })
  })

  it('is made only where nothing is held: a budget that was set while the agent worked', () => {
    const [run, organisation] = accountsOf(budget('run', 'r', 1_000), budget('organisation', '1', 300)) as [
      Account,
      Account,
    ]
    const held = afterReserving(run, of('attempt', 'a'), tokens(100))
    expect(granted([held, organisation])).toEqual([0, 30])
  })

  it('does not outlast a limit that was lowered below the spent amount', () => {
    const [run] = accountsOf(budget('run', 'r', 500, 600)) as [Account]
    const held = { ...run, holdings: [{ ...of('attempt', 'a'), scope: 'run' as const, scopeId: 'r', ...tokens(100) }] }
    expect(reserve([held])).toMatchObject({ refused: { by: 'run' } })
  })

  it('moves to spent, and a call beyond it is counted in full', () => {
    const [run] = accountsOf(budget('run', 'r', 1_000)) as [Account]
    const spent = afterSpending(afterReserving(run, of('attempt', 'a'), tokens(100)), tokens(130))
    expect(spent.budget).toMatchObject({ tokensSpent: 130, tokensReserved: 0 })
    expect(heldIn(spent)).toEqual(nothing)
  })
})

describe('a delegation', () => {
  /** The parent's brief may use 1,000 tokens, of which its running attempt holds 900 after a call of 100. */
  const parent = (): Account[] =>
    accountsOf(budget('brief', 'parent', 1_000), budget('run', 'r', 5_000)).map((account) =>
      afterSpending(afterReserving(account, of('attempt', 'p'), tokens(1_000)), tokens(100)),
    )

  const delegated = (amount: number): readonly Account[] => {
    const result = setAside(parent(), of('delegation', 'd'), tokens(amount))
    if ('refused' in result) throw new Error(result.refused.reason)
    return result.accounts
  }

  it('takes its amount from the attempt that makes it, in every budget above it', () => {
    for (const { budget: above, holdings } of delegated(400)) {
      expect(above).toMatchObject({ tokensSpent: 100, tokensReserved: 900 })
      expect(Object.fromEntries(holdings.map((each) => [each.holderId, each.tokens]))).toEqual({ d: 400, p: 500 })
    }
  })

  it('is refused if a budget above it has less', () => {
    const result = setAside(parent(), of('delegation', 'd'), tokens(901))
    expect(result).toMatchObject({ refused: { by: 'brief' } })
  })

  it('lets parent and child spend at once, and no budget above exceeds its limit', () => {
    let above = delegated(400)
    let own = accountsOf(budget('delegation', 'd', 400), budget('brief', 'child', 400))
    const seenBy = (holderId: string): Account[] =>
      above.map(({ budget: each, holdings }) => ({
        budget: each,
        holdings: holdings.filter((held) => held.holderId === holderId),
      }))
    const keep = (holderId: string, after: readonly Account[]): void => {
      above = above.map(({ holdings }, index) => {
        const { budget: each, holdings: changed } = after[index] as Account
        return { budget: each, holdings: [...changed, ...holdings.filter((held) => held.holderId !== holderId)] }
      })
    }
    // The child reserves in its own budgets only: what the delegation has set aside covers those above.
    expect(granted([...own, ...seenBy('d')])).toEqual([400, 400, 0, 0])
    own = own.map((account) => afterReserving(account, of('attempt', 'c'), tokens(400)))
    for (const call of [150, 150]) {
      own = own.map((account) => afterSpending(account, tokens(call)))
      keep(
        'd',
        seenBy('d').map((account) => afterSpending(account, tokens(call))),
      )
      keep(
        'p',
        seenBy('p').map((account) => afterSpending(account, tokens(200))),
      )
    }
    expect(above[0]?.budget).toMatchObject({ tokensSpent: 800, tokensReserved: 200 })
    expect(above[1]?.budget).toMatchObject({ tokensSpent: 800, tokensReserved: 200 })
    expect(own[0]?.budget).toMatchObject({ tokensSpent: 300, tokensReserved: 100 })
    // The end of the child frees what it has not used; the parent may use it.
    const freed = above.map(({ budget: each, holdings }) => ({
      budget: { ...each, tokensReserved: 100 },
      holdings: holdings.filter((held) => held.holderId === 'p'),
    }))
    const spent = freed.map((account) => afterSpending(account, tokens(100)))
    expect(granted(spent)).toEqual([100, 100])
  })
})
