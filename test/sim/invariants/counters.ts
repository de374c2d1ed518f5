import type { History, Row, SeenEvent } from '../history.ts'
import type { World } from '../world.ts'
import { isAtWork, nameOf } from './brief.ts'

/** Failures of a brief since the last reset of its limits. */
interface Tally {
  bad: number
  crash: number
  verdict: number
}

const columns = [
  ['bad', 'retries_used', 'retry_budget', 'bad_output'],
  ['crash', 'crash_retries', 'crash_limit', 'crash'],
  ['verdict', 'verification_failures', 'verification_limit', 'verification'],
] as const

/** Checks that every failure is counted once in its own class, and that every limit is applied exactly. */
export function watchCounters(world: World): void {
  const tallies = new Map<string, Tally>()
  const tallyOf = (briefId: string): Tally => {
    let tally = tallies.get(briefId)
    if (tally === undefined) tallies.set(briefId, (tally = { bad: 0, crash: 0, verdict: 0 }))
    return tally
  }

  world.history.watch((event, history) => {
    for (const { table, before, after } of event.steps) {
      if (after === null) continue
      if (table === 'attempts' && after['status'] === 'ended' && before?.['status'] !== 'ended') {
        const tally = tallyOf(after['brief_id'] as string)
        if (after['outcome'] === 'bad_output' || after['outcome'] === 'partial_output') tally.bad++
        if (after['outcome'] === 'crash' || after['outcome'] === 'timeout') tally.crash++
      }
      if (event.kind === 'merge_conflict' && table === 'briefs' && event.briefId === after['id'])
        tallyOf(after['id'] as string).bad++
      if (table === 'verdicts' && after['verdict'] !== 'pass') tallyOf(after['brief_id'] as string).verdict++
      // The remainder of a brief inherits its retries.
      if (table === 'briefs' && before === null && after['remainder_of'] !== null)
        tallyOf(after['id'] as string).bad = tallyOf(parentOf(history, after)).bad
      if (table === 'briefs' && before !== null && after['cap_key'] === null) {
        countNotes(event, history, before, after, tallyOf(after['id'] as string))
        excuse(event, history, before, after, tallyOf(after['id'] as string))
        forgive(event, history, before, after, tallyOf(after['id'] as string))
        checkLimits(event, history, before, after, tallyOf(after['id'] as string))
      }
    }
  })
  world.history.inspect((runIds, history) => {
    for (const runId of runIds)
      for (const brief of history.of('briefs', runId)) {
        if (brief['cap_key'] !== null) {
          checkBounds(history, brief)
          continue
        }
        const tally = tallyOf(brief['id'] as string)
        for (const [kind, used, limit] of columns) {
          const expected = Math.min(tally[kind], brief[limit] as number)
          if (brief[used] !== expected)
            history.fail(
              'every failure is counted once',
              `${nameOf(brief)}: ${used} is ${brief[used]}, with ${tally[kind]} since the last reset and a limit of ${brief[limit]}`,
            )
        }
      }
  })
}

/** Checks only the limits of a tiered brief: a higher tier may reset its counters. */
function checkBounds(history: History, brief: Row): void {
  for (const [, used, limit] of columns)
    if ((brief[used] as number) > (brief[limit] as number))
      history.fail('limits hold', `${nameOf(brief)}: ${used} is ${brief[used]} of ${brief[limit]}`)
}

function parentOf(history: History, rest: Row): string {
  const key = String(rest['key']).slice(0, String(rest['key']).lastIndexOf(':rest:'))
  return history.of('briefs', rest['run_id'] as string).find((brief) => brief['key'] === key)?.['id'] as string
}

/** Counts work that is returned because of open notes like bad output; partial output is counted already. */
function countNotes(event: SeenEvent, history: History, before: Row, after: Row, tally: Tally): void {
  if (before['status'] !== 'completion_drive_review') return
  if (history.row('attempts', after['attempt_id'] as string)?.['outcome'] === 'partial_output') return
  if (after['status'] === 'pending' || (after['status'] === 'blocked' && event.data['class'] === 'bad_output'))
    tally.bad++
}

/**
 * Takes a failure back if no other failure counts: the brief is blocked for lack of budget or by an escalated note, or
 * it is a verifier whose subject has changed meanwhile, so that it ends without another try.
 */
function excuse(event: SeenEvent, history: History, before: Row, after: Row, tally: Tally): void {
  const cause = String(event.data['class'])
  const isHeld = ['budget', 'note'].includes(cause) && after['status'] === 'blocked' && before['status'] !== 'blocked'
  const lostSubject = after['kind'] === 'verify' && after['status'] === 'cancelled' && isAtWork(before)
  if (!isHeld && !lostSubject) return
  const outcome = history.row('attempts', after['attempt_id'] as string)?.['outcome']
  if (outcome === 'bad_output' || outcome === 'partial_output') tally.bad--
  if (outcome === 'crash' || outcome === 'timeout') tally.crash--
}

/** Checks that only an answer to a question about a limit, or the approval of its gate, resets its counter. */
function forgive(event: SeenEvent, history: History, before: Row, after: Row, tally: Tally): void {
  for (const [kind, used, , cause] of columns) {
    if ((after[used] as number) >= (before[used] as number)) continue
    const isAnswered = history
      .of('questions', after['run_id'] as string)
      .some(
        (question) =>
          question['brief_id'] === after['id'] &&
          question['class'] === cause &&
          question['status'] === 'answered' &&
          question['answered_at'] === event.at,
      )
    const isApproved = history
      .of('gates', after['run_id'] as string)
      .some(
        (gate) =>
          gate['boundary'] === `brief:${after['id']}` &&
          gate['decided_at'] === event.at &&
          (JSON.parse(gate['summary'] as string) as { class?: string }).class === cause,
      )
    if (!isAnswered && !isApproved)
      history.fail('only an answer resets a limit', `${nameOf(after)}: ${used} by ${event.kind}`)
    tally[kind] = after[used] as number
  }
}

function checkLimits(event: SeenEvent, history: History, before: Row, after: Row, tally: Tally): void {
  const wasAtWork = ['assigned', 'working', 'completion_drive_review', 'ready_for_verification'].includes(
    before['status'] as string,
  )
  if (!wasAtWork || before['status'] === after['status']) return
  const cause = event.data['class']
  const refuse = (why: string): void => history.fail('limits hold', `${nameOf(after)} ${why}`)
  const classes: Record<string, (typeof columns)[number]> = {
    bad_output: columns[0],
    partial_output: columns[0],
    crash: columns[1],
    verification_failed: columns[2],
    verification: columns[2],
  }
  const column = classes[String(cause)]
  if (column === undefined) return
  const [kind, , limit] = column
  if (after['status'] === 'pending' && tally[kind] > (after[limit] as number))
    refuse(`is retried after ${tally[kind]} failures with a limit of ${after[limit]}`)
  // The question about a verifier that could not be replaced comes without a verdict.
  if (after['status'] === 'blocked' && kind === 'bad' && tally[kind] <= (after[limit] as number))
    refuse(`is blocked after ${tally[kind]} failures with a limit of ${after[limit]}`)
}
