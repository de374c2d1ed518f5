import { moneyText } from '../../kernel/amounts.ts'
import type { ModelCall } from '../../adapters/prices/port.ts'
import type { Stream } from '../../db/port.ts'
import { appendEvent } from '../../events/append.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findMoneyOf } from '../briefs/store.ts'
import { runs } from '../runs/store.ts'
import { spendId, spends } from './store.ts'
import {
  changeBudgets,
  openBudgets,
  reserveFrom,
  spendFrom,
  streamsOf,
  tellWarnings,
  warned,
} from '../budgets/moves.ts'
import { type Amount, nothing, type Refused, reserve } from '../budgets/arithmetic.ts'
import type { RunScope } from '../scope.ts'

/** A model call with its number in the attempt and its price, if known. */
export interface PricedCall extends ModelCall {
  readonly number: number
  readonly costMicros: number | null
}

export interface Spent {
  attempt: Attempt
  brief: Brief
  /** The limit that forbids another call, if there is one. */
  refused: Refused | null
  /** The streams of the attempt's budgets. */
  streams: Stream[]
}

/**
 * Records calls in the ledger and in every sum above them, in one transaction. With `goOn`, an attempt that has spent
 * its reservation reserves more, or is refused. The amount is recorded in full, also beyond a limit: each running agent
 * can exceed it by one call, because the cost of a call is not known before.
 */
export async function recordSpends(
  scope: RunScope,
  known: Brief,
  attempt: Attempt,
  calls: readonly PricedCall[],
  { goOn }: { goOn: boolean },
): Promise<Spent> {
  const { tx, run } = scope
  const brief: Brief = { ...known, ...(await findMoneyOf(tx, known.id)) }
  const total = totalOf(calls)
  const unpriced = calls.filter((call) => call.costMicros === null).length
  const used = { tokensUsed: brief.tokensUsed + total.tokens, costMicros: brief.costMicros + total.micros }
  const left: Amount = {
    tokens: Math.max(0, attempt.reservedTokens - total.tokens),
    micros: Math.max(0, attempt.reservedMicros - total.micros),
  }
  const before = await openBudgets(scope, [brief.personaId])
  const from = { tokens: attempt.reservedTokens - left.tokens, micros: attempt.reservedMicros - left.micros }
  const spent = warned(spendFrom(before, total, from))
  const granted = goOn && attempt.status !== 'ended' ? reserve({ ...brief, ...used }, spent.after, left) : null
  const more = granted !== null && 'amount' in granted ? granted.amount : nothing
  const input = sum(calls, (call) => call.inputTokens)
  const attemptPatch = {
    inputTokens: attempt.inputTokens + input,
    outputTokens: attempt.outputTokens + total.tokens - input,
    costMicros: attempt.costMicros + total.micros,
    reservedTokens: left.tokens + more.tokens,
    reservedMicros: left.micros + more.micros,
  }
  const runPatch = {
    inputTokens: run.inputTokens + input,
    outputTokens: run.outputTokens + total.tokens - input,
    costMicros: run.costMicros + total.micros,
    unpricedCalls: run.unpricedCalls + unpriced,
  }
  const message = `${brief.key}: ${describeCalls(calls, total, unpriced)}`
  const about = { briefId: brief.id, attemptId: attempt.id, message }
  const budgetChanges = await changeBudgets(scope, before, reserveFrom(spent.after, more), about)
  await record(
    tx,
    {
      kind: 'spent',
      by: scope.by,
      runId: run.id,
      level: 'verbose',
      ...about,
      data: {
        calls: calls.length,
        input_tokens: input,
        output_tokens: total.tokens - input,
        cost_micros: total.micros,
        unpriced_calls: unpriced,
        models: [...new Set(calls.map((call) => call.model).filter((model) => model !== null))],
        simulated: attempt.simulated,
      },
    },
    [
      ...calls.map((call) => inserted(spends, spendOf(scope, brief, attempt, call))),
      updated(attempts, attempt, attemptPatch),
      updated(briefs, brief, used),
      updated(runs, run, runPatch),
      ...budgetChanges,
    ],
  )
  scope.run = { ...run, ...runPatch }
  await tellWarnings(scope, spent.warnings, brief.id)
  await warnOfOwnLimit(scope, brief, used)
  return {
    attempt: { ...attempt, ...attemptPatch },
    brief: { ...brief, ...used },
    refused: granted !== null && 'refused' in granted ? granted.refused : null,
    streams: streamsOf(before),
  }
}

const spendOf = (scope: RunScope, brief: Brief, attempt: Attempt, call: PricedCall) => ({
  id: spendId(attempt.id, call.number),
  runId: scope.run.id,
  missionId: scope.run.missionId,
  organisationId: scope.run.organisationId,
  briefId: brief.id,
  attemptId: attempt.id,
  personaId: brief.personaId,
  provider: call.provider,
  model: call.model,
  inputTokens: call.inputTokens,
  outputTokens: call.outputTokens,
  cacheReadTokens: call.cacheReadTokens,
  cacheWriteTokens: call.cacheWriteTokens,
  costMicros: call.costMicros,
  simulated: attempt.simulated,
  at: scope.tx.at,
})

const sum = (calls: readonly PricedCall[], of: (call: PricedCall) => number): number =>
  calls.reduce((total, call) => total + of(call), 0)

const totalOf = (calls: readonly PricedCall[]): Amount => ({
  tokens: sum(calls, (call) => call.inputTokens + call.outputTokens),
  micros: sum(calls, (call) => call.costMicros ?? 0),
})

function describeCalls(calls: readonly PricedCall[], total: Amount, unpriced: number): string {
  const models = [...new Set(calls.map((call) => call.model ?? 'unnamed model'))]
  const made = calls.length === 1 ? '1 model call' : `${calls.length} model calls`
  const cost = unpriced === calls.length ? null : moneyText(total.micros)
  const unknown = unpriced === 0 ? null : `${unpriced === calls.length ? '' : `${unpriced} `}without a known price`
  const facts = [`${total.tokens.toLocaleString('en')} tokens`, cost, unknown].filter((fact) => fact !== null)
  return `${made} (${shorten(models.join(', '), 120)}), ${facts.join(', ')}`
}

/**
 * Warns about a brief's own limit with the call that crosses the threshold, because the brief has no column for a sent
 * warning.
 */
async function warnOfOwnLimit(
  scope: RunScope,
  brief: Brief,
  used: Pick<Brief, 'tokensUsed' | 'costMicros'>,
): Promise<void> {
  const crosses = (before: number, after: number, limit: number | null): boolean =>
    limit !== null && before < limit * 0.8 && after >= limit * 0.8
  if (
    !crosses(brief.tokensUsed, used.tokensUsed, brief.tokenBudget) &&
    !crosses(brief.costMicros, used.costMicros, brief.costLimitMicros)
  )
    return
  await appendEvent(scope.tx, `run:${scope.run.id}`, {
    kind: 'budget_warning',
    by: scope.by,
    runId: scope.run.id,
    briefId: brief.id,
    level: 'normal',
    code: 'BUDGET',
    message: `the budget of ${brief.key} is nearly used up`,
    data: { scope: 'brief', scope_id: brief.id },
  })
}
