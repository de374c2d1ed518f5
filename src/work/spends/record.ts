import { moneyText } from '../../kernel/amounts.ts'
import type { ModelCall } from '../../adapters/prices/port.ts'
import type { Stream, Tx } from '../../db/port.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { isAgentAtWork } from '../../kernel/attempt-state.ts'
import { shorten } from '../../kernel/text.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findUseOf } from '../briefs/store.ts'
import { afterReserving, afterSpending, type Refused, reserve } from '../budgets/arithmetic.ts'
import type { Account, Amount, Budget, Reservation } from '../budgets/contract.ts'
import { changeAccounts, lockAccounts, openAccounts, streamsOf, tellWarnings, warned } from '../budgets/moves.ts'
import { listAccountsOfAgent } from '../budgets/store.ts'
import { runs } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import type { Spend } from './contract.ts'
import { spendId, spendIdOfAgent, spends } from './store.ts'

/** A model call with its number in the attempt and its price, if known. */
export interface PricedCall extends ModelCall {
  /** The agent says so itself; nothing has measured it. */
  readonly claimed: boolean
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
  const brief: Brief = { ...known, ...(await findUseOf(tx, known.id)) }
  const total = totalOf(calls)
  const unpriced = calls.filter((call) => call.costMicros === null).length
  const used = { tokensUsed: brief.tokensUsed + total.tokens, costMicros: brief.costMicros + total.micros }
  const before = await openAccounts(scope, [brief], attempt.id)
  const holder = { holder: 'attempt' as const, holderId: attempt.id, runId: run.id, organisationId: run.organisationId }
  const measured = totalOf(calls.filter(({ claimed }) => !claimed))
  const amountFor = ({ budget }: Account): Amount => (isShared(budget) ? measured : total)
  const spent = spendFrom(before, amountFor, goOn && isAgentAtWork(attempt) ? holder : null)
  const input = sum(calls, (call) => call.inputTokens)
  const attemptPatch = {
    inputTokens: attempt.inputTokens + input,
    outputTokens: attempt.outputTokens + total.tokens - input,
    costMicros: attempt.costMicros + total.micros,
    ...(attempt.budgeted || spent.after.every(({ holdings }) => holdings.length === 0) ? {} : { budgeted: true }),
  }
  const runPatch = {
    inputTokens: run.inputTokens + input,
    outputTokens: run.outputTokens + total.tokens - input,
    costMicros: run.costMicros + total.micros,
    unpricedCalls: run.unpricedCalls + unpriced,
  }
  const message = `${brief.key}: ${describeCalls(calls, total, unpriced)}`
  const about = { by: scope.by, runId: run.id, briefId: brief.id, attemptId: attempt.id, message }
  const changes = await changeAccounts(tx, `run:${run.id}`, before, spent.after, about)
  await record(
    tx,
    { kind: 'spent', level: 'verbose', ...about, data: dataOf(calls, total, unpriced, attempt.simulated) },
    [
      ...calls.map((call) => inserted(spends, spendOf(scope, brief, attempt, call))),
      updated(attempts, attempt, attemptPatch),
      updated(briefs, brief, used),
      updated(runs, run, runPatch),
      ...changes,
    ],
  )
  scope.run = { ...run, ...runPatch }
  await tellWarnings(scope, spent.warnings, brief)
  return {
    attempt: { ...attempt, ...attemptPatch },
    brief: { ...brief, ...used },
    refused: spent.refused,
    streams: streamsOf(before),
  }
}

interface SpentFrom {
  after: Account[]
  warnings: Budget[]
  refused: Refused | null
}

/** Reports whether runs of other missions use the budget: an agent's own word about its usage must not stop them. */
const isShared = ({ scope }: Budget): boolean => scope === 'organisation' || scope === 'persona'

/** Spends amounts from the accounts; a holder that goes on reserves more where it has nothing left. */
function spendFrom(
  before: readonly Account[],
  amountFor: (account: Account) => Amount,
  holder: Omit<Reservation, keyof Amount | 'scope' | 'scopeId'> | null,
): SpentFrom {
  const { after, warnings } = warned(before.map((account) => afterSpending(account, amountFor(account))))
  if (holder === null) return { after, warnings, refused: null }
  const granted = reserve(after)
  if ('refused' in granted) return { after, warnings, refused: granted.refused }
  const reserved = after.map((account, index) => afterReserving(account, holder, granted.amounts[index] as Amount))
  return { after: reserved, warnings, refused: null }
}

/** A live agent that works outside any run. */
export interface SpendingAgent {
  readonly agentId: number
  readonly personaId: number
  readonly organisationId: number
  readonly simulated: boolean
}

/**
 * Records calls that a live agent made outside any run, in the stream of its organisation, with the budgets of the
 * organisation and of its persona. Returns the limit that forbids another call, if there is one.
 */
export async function recordAgentSpends(
  tx: Tx,
  by: string,
  agent: SpendingAgent,
  calls: readonly PricedCall[],
): Promise<Refused | null> {
  const { agentId, personaId, organisationId, simulated } = agent
  const total = totalOf(calls)
  const unpriced = calls.filter((call) => call.costMicros === null).length
  const own: Stream = `org:${organisationId}`
  const before = await lockAccounts(tx, own, () => listAccountsOfAgent(tx, agent))
  const holder = { holder: 'agent' as const, holderId: String(agentId), runId: null, organisationId }
  const spent = spendFrom(before, () => total, holder)
  const about = { by, message: `agent ${agentId}: ${describeCalls(calls, total, unpriced)}` }
  const changes = await changeAccounts(tx, own, before, spent.after, about)
  await record(tx, { kind: 'spent', level: 'verbose', ...about, data: dataOf(calls, total, unpriced, simulated) }, [
    ...calls.map((call) =>
      inserted(spends, {
        id: spendIdOfAgent(agentId, call.number),
        runId: null,
        missionId: null,
        organisationId,
        briefId: null,
        attemptId: null,
        agentId,
        personaId,
        ...figuresOf(call),
        simulated,
        at: tx.at,
      }),
    ),
    ...changes,
  ])
  return spent.refused
}

const spendOf = (scope: RunScope, brief: Brief, attempt: Attempt, call: PricedCall): Spend => ({
  id: spendId(attempt.id, call.number),
  runId: scope.run.id,
  missionId: scope.run.missionId,
  organisationId: scope.run.organisationId,
  briefId: brief.id,
  attemptId: attempt.id,
  agentId: null,
  personaId: brief.personaId,
  ...figuresOf(call),
  simulated: attempt.simulated,
  at: scope.tx.at,
})

const figuresOf = (call: PricedCall) => ({
  provider: call.provider,
  model: call.model,
  inputTokens: call.inputTokens,
  outputTokens: call.outputTokens,
  cacheReadTokens: call.cacheReadTokens,
  cacheWriteTokens: call.cacheWriteTokens,
  costMicros: call.costMicros,
  claimed: call.claimed,
})

function dataOf(calls: readonly PricedCall[], total: Amount, unpriced: number, simulated: boolean) {
  const input = sum(calls, (call) => call.inputTokens)
  return {
    calls: calls.length,
    input_tokens: input,
    output_tokens: total.tokens - input,
    cost_micros: total.micros,
    unpriced_calls: unpriced,
    models: [...new Set(calls.map((call) => call.model).filter((model) => model !== null))],
    simulated,
  }
}

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
