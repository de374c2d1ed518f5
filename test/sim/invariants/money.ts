import type { History, Row, SeenEvent } from '../history.ts'
import type { World } from '../world.ts'
import { nameOf, stepsInto } from './brief.ts'

/** Checks that every launch has a reservation, that none occurs during a stop, and that all sums are right. */
export function watchMoney(world: World): void {
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'assigned')) checkLaunch(event, history, after as Row)
    for (const { table, before, after } of event.steps) {
      if (table === 'budgets' && before !== null && after !== null) checkSpending(history, before, after)
      if (table === 'reservations' && after !== null) checkReservation(history, before, after)
    }
  })
  world.history.inspect((runIds, history) => {
    for (const runId of runIds) checkSums(history, runId)
    for (const reservation of history.rows('reservations').values()) checkHolder(history, reservation)
  })
}

/** Maximum of one call: an agent is stopped after the call that exceeds the limit, never before. */
const callTokens = 1_200

const kinds = [
  ['token_limit', 'tokens_spent', 'tokens'],
  ['cost_limit_micros', 'micros_spent', 'micros'],
] as const

function checkLaunch(event: SeenEvent, history: History, brief: Row): void {
  const run = history.row('runs', brief['run_id'] as string) as Row
  const refuse = (why: string): void => history.fail('every launch is within its budget', `${nameOf(brief)} ${why}`)
  for (const stop of history.rows('stops').values())
    if (stop['organisation_id'] === null || stop['organisation_id'] === run['organisation_id'])
      refuse(`starts although ${stop['scope']} is stopped`)
  for (const hold of history.rows('provider_holds').values())
    if (hold['provider'] === brief['provider'] && (hold['until'] as string) > event.at)
      refuse(`starts although ${hold['provider']} takes no calls until ${hold['until']}`)
  for (const budget of history.rows('budgets').values()) {
    if (!isAbove(budget, run, brief)) continue
    for (const [limit, spent, unit] of kinds) {
      if (budget[limit] === null) continue
      if (reservedIn(history, budget, unit, brief['attempt_id']) < 1)
        refuse(`starts with no ${unit} of the budget of ${budget['scope']}`)
      if ((budget[spent] as number) >= (budget[limit] as number))
        refuse(`starts with the budget of ${budget['scope']} used up`)
    }
  }
}

const isAbove = (budget: Row, run: Row, brief: Row): boolean =>
  budget['scope_id'] ===
  {
    brief: brief['id'],
    run: run['id'],
    mission: run['mission_id'],
    organisation: String(run['organisation_id']),
    persona: String(brief['persona_id']),
  }[budget['scope'] as string]

/** Sums the reservations of a budget, or those of one attempt in it. */
const reservedIn = (history: History, budget: Row, unit: 'tokens' | 'micros', attemptId?: unknown): number =>
  [...history.rows('reservations').values()]
    .filter(
      (each) =>
        each['scope'] === budget['scope'] &&
        each['scope_id'] === budget['scope_id'] &&
        (attemptId === undefined || each['holder_id'] === attemptId),
    )
    .reduce((sum, each) => sum + (each[unit] as number), 0)

const countLive = (history: History): number =>
  [...history.rows('attempts').values()].filter((attempt) => attempt['status'] !== 'ended').length

/** Checks that spending stays within one call per live attempt of the limit, unless it was lowered. */
function checkSpending(history: History, before: Row, after: Row): void {
  for (const [limit, spent] of kinds) {
    const most = after[limit] as number | null
    if (most === null || before[limit] !== after[limit]) continue
    const more = (after[spent] as number) - Math.max(most, before[spent] as number)
    if (more > (countLive(history) + 1) * callTokens * 5)
      history.fail('budgets hold', `${after['scope']} ${after['scope_id']} spends ${more} beyond ${most}`)
  }
}

/** Checks that a new reservation stays within the limit; calls that were under way may have exceeded it before. */
function checkReservation(history: History, before: Row | null, after: Row): void {
  const budget = history.row('budgets', `${after['scope']}/${after['scope_id']}`)
  for (const [limit, spent, unit] of kinds) {
    const most = (budget?.[limit] ?? null) as number | null
    const added = (after[unit] as number) - ((before?.[unit] ?? 0) as number)
    if (budget === undefined || most === null || added <= 0) continue
    const total = (budget[spent] as number) + reservedIn(history, budget, unit)
    if (total > most + (countLive(history) + 1) * callTokens * 5)
      history.fail('budgets hold', `${after['scope']} ${after['scope_id']} reserves ${added} beyond ${most}`)
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
  for (const budget of history.rows('budgets').values()) {
    const brief = budget['scope'] === 'brief' ? history.row('briefs', budget['scope_id'] as string) : undefined
    if (brief?.['run_id'] !== runId) continue
    if (budget['tokens_spent'] !== brief['tokens_used'] || budget['micros_spent'] !== brief['cost_micros'])
      refuse(`${nameOf(brief)}: its own budget is not its use`)
  }
}

/** Checks that only an agent at work holds a reservation. */
function checkHolder(history: History, reservation: Row): void {
  const attempt = history.row('attempts', reservation['holder_id'] as string)
  if (attempt?.['status'] !== 'launching' && attempt?.['status'] !== 'running')
    history.fail(
      'reservations are released',
      `${reservation['holder_id']} is ${attempt?.['status']} and still has a reservation`,
    )
}
