import type { History, Row, SeenEvent } from '../history.ts'
import type { World } from '../world.ts'
import { nameOf, stepsInto } from './brief.ts'

/** Checks that every launch has a reservation, that none occurs during a stop, and that all sums are right. */
export function watchMoney(world: World): void {
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'assigned')) checkLaunch(event, history, after as Row)
    for (const { table, before, after } of event.steps)
      if (table === 'budgets' && before !== null && after !== null) checkSpending(history, before, after)
  })
  world.history.inspect((runIds, history) => {
    for (const runId of runIds) checkSums(history, runId)
    for (const budget of history.rows('budgets').values()) checkReserved(history, budget)
  })
}

/** Maximum of one call: an agent is stopped after the call that exceeds the limit, never before. */
const callTokens = 1_200

const kinds = [
  ['token_limit', 'tokens_spent', 'tokens_reserved', 'reserved_tokens', 'token_budget', 'tokens_used'],
  ['cost_limit_micros', 'micros_spent', 'micros_reserved', 'reserved_micros', 'cost_limit_micros', 'cost_micros'],
] as const

function checkLaunch(event: SeenEvent, history: History, brief: Row): void {
  const run = history.row('runs', brief['run_id'] as string) as Row
  const attempt = history.row('attempts', brief['attempt_id'] as string) as Row
  const refuse = (why: string): void => history.fail('every launch is within its budget', `${nameOf(brief)} ${why}`)
  for (const stop of history.rows('stops').values())
    if (stop['organisation_id'] === null || stop['organisation_id'] === run['organisation_id'])
      refuse(`starts although ${stop['scope']} is stopped`)
  for (const hold of history.rows('provider_holds').values())
    if (hold['provider'] === brief['provider'] && (hold['until'] as string) > event.at)
      refuse(`starts although ${hold['provider']} takes no calls until ${hold['until']}`)
  const above = [...history.rows('budgets').values()].filter((budget) => isAbove(budget, run, brief['persona_id']))
  for (const [limit, spent, , reserved, own, used] of kinds) {
    const isLimited = brief[own] !== null || above.some((budget) => budget[limit] !== null)
    if (isLimited && (attempt[reserved] as number) < 1) refuse(`starts with no ${reserved}`)
    if (brief[own] !== null && (brief[used] as number) >= (brief[own] as number))
      refuse(`starts with its ${own} used up`)
    for (const budget of above)
      if (budget[limit] !== null && (budget[spent] as number) >= (budget[limit] as number))
        refuse(`starts with the budget of ${budget['scope']} used up`)
  }
}

const isAbove = (budget: Row, run: Row, personaId: unknown): boolean =>
  budget['scope_id'] ===
  {
    run: run['id'],
    mission: run['mission_id'],
    organisation: String(run['organisation_id']),
    persona: String(personaId),
  }[budget['scope'] as string]

/**
 * Checks that reservations stay within the limit unless it was lowered, and spending within one call per live attempt.
 */
function checkSpending(history: History, before: Row, after: Row): void {
  const live = [...history.rows('attempts').values()].filter((attempt) => attempt['status'] !== 'ended').length
  for (const [limit, spent, reserved] of kinds) {
    const most = after[limit] as number | null
    if (most === null || before[limit] !== after[limit]) continue
    const added = (after[reserved] as number) - (before[reserved] as number)
    const total = (after[spent] as number) + (after[reserved] as number)
    if (added > 0 && total > most + (live + 1) * callTokens * 5)
      history.fail('budgets hold', `${after['scope']} ${after['scope_id']} reserves ${added} beyond ${most}`)
    const more = (after[spent] as number) - Math.max(most, before[spent] as number)
    if (more > (live + 1) * callTokens * 5)
      history.fail('budgets hold', `${after['scope']} ${after['scope_id']} spends ${more} beyond ${most}`)
  }
}

function checkSums(history: History, runId: string): void {
  const spends = history.of('spends', runId)
  const sum = (column: string, attemptId?: unknown): number =>
    spends.reduce(
      (total, row) =>
        attemptId === undefined || row['attempt_id'] === attemptId ? total + Number(row[column] ?? 0) : total,
      0,
    )
  const run = history.row('runs', runId) as Row
  const refuse = (detail: string): void => history.fail('spending equals the ledger', detail)
  for (const column of ['input_tokens', 'output_tokens', 'cost_micros']) {
    if (run[column] !== sum(column)) refuse(`${runId}: ${column} is ${run[column]}, not ${sum(column)}`)
    for (const attempt of history.of('attempts', runId))
      if (attempt[column] !== sum(column, attempt['id']))
        refuse(`${attempt['id']}: ${column} is ${attempt[column]}, not ${sum(column, attempt['id'])}`)
  }
  for (const attempt of history.of('attempts', runId))
    if (attempt['status'] === 'ended' && (attempt['reserved_tokens'] !== 0 || attempt['reserved_micros'] !== 0))
      history.fail('reservations are released', `${attempt['id']} has ended and still has a reservation`)
}

function checkReserved(history: History, budget: Row): void {
  for (const [limit, , reserved, held] of kinds) {
    if (budget[limit] === null) continue
    let total = 0
    for (const attempt of history.rows('attempts').values()) {
      if (attempt['status'] === 'ended') continue
      const run = history.row('runs', attempt['run_id'] as string) as Row
      const brief = history.row('briefs', attempt['brief_id'] as string) as Row
      if (isAbove(budget, run, brief['persona_id'])) total += attempt[held] as number
    }
    if (budget[reserved] !== total)
      history.fail(
        'reservations are released',
        `${budget['scope']} ${budget['scope_id']}: ${reserved} is ${budget[reserved]}, live attempts hold ${total}`,
      )
  }
}
