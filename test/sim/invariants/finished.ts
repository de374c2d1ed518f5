import type { Behaviour } from '../agents/behaviour.ts'
import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import { nameOf } from './brief.ts'

/**
 * Checks that finished work is never done again: an attempt whose report was committed ends by a check of its evidence,
 * or by its own failure, but is never thrown away, unless its brief or its run was withdrawn.
 */
export function watchFinished({ history }: World): void {
  let thrownAway: { by: string; before: Row; attempt: Row }[] = []
  history.watch((event) => {
    for (const { table, before, after } of event.steps)
      if (table === 'attempts' && before !== null && after !== null && isThrownAway(before, after))
        thrownAway.push({ by: event.by, before, attempt: after })
  })
  // The brief may be withdrawn by a later event of the same commit.
  history.inspect((_, seen) => {
    for (const each of thrownAway) check(seen, each)
    thrownAway = []
  })
}

function isThrownAway(before: Row, after: Row): boolean {
  if (before['status'] === 'ended' || after['status'] !== 'ended') return false
  if (after['outcome'] === 'interrupted') return isFinished(before['report'] as string | null)
  const isReported = before['status'] === 'reported' || before['status'] === 'examining'
  return isReported && (after['outcome'] === 'crash' || after['outcome'] === 'timeout')
}

/** An agent that reports that it cannot go on has finished nothing. */
const isFinished = (report: string | null): boolean =>
  report !== null && (JSON.parse(report) as { status: string }).status !== 'blocked'

function check(history: History, { by, before, attempt }: { by: string; before: Row; attempt: Row }): void {
  const brief = history.row('briefs', attempt['brief_id'] as string) as Row
  const run = history.row('runs', attempt['run_id'] as string) as Row
  if (brief['status'] === 'cancelled' || run['ended_at'] !== null) return
  // People may give up a brief that waits for their answer.
  if (brief['status'] === 'failed' && by !== 'engine') return
  // An agent that fails by itself after its report has not finished.
  const played = history.playedBy(attempt['id'] as string)
  if (before['status'] === 'running' && (played === undefined || failsByItself(played))) return
  history.fail(
    'finished work is never done again',
    `${nameOf(brief)}: its ${before['status']} attempt with a report ended ${attempt['outcome']}`,
  )
}

/**
 * Reports whether the agent crashes or hangs. Its possible outcomes do not tell: an agent that hides its work or may
 * meet its quota has more of them, even if it crashes.
 */
function failsByItself({ steps, name, cutShort }: Behaviour): boolean {
  // Its reports contradict each other, so that there is nothing to check.
  if ((cutShort ?? name) === 'contradicts itself') return true
  const last = steps.find((step) => ['crash', 'exit', 'hang', 'quota'].some((name) => name in step))
  return last !== undefined && !('quota' in last)
}
