import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import {
  hasEndedBrief,
  haltsRun,
  holdsOf,
  isAtWork,
  isTiered,
  nameOf,
  openQuestionsOf,
  openRuns,
  pendingGatesOf,
} from './brief.ts'

/** Checks at rest that every run has ended or waits for a named reason. */
export function checkRest(world: World): void {
  const { history } = world
  for (const attempt of history.rows('attempts').values())
    if (attempt['status'] !== 'ended' && !mayWait(history, attempt))
      world.fail('no attempt is forgotten', `${attempt['id']} is ${attempt['status']}`)
  for (const attemptId of world.agents.keys()) {
    const status = history.row('attempts', attemptId)?.['status']
    if (status !== 'launching' && status !== 'running' && !world.escaped.has(attemptId))
      world.fail('no agent of an ended attempt is alive', `the agent of ${attemptId}, which is ${status ?? 'unknown'}`)
  }
  for (const run of openRuns(world)) checkRun(history, run)
}

/** Reports whether finished work rightly waits for its check: for the end of a stop, or for an answer. */
export function mayWait(history: History, attempt: Row): boolean {
  if (attempt['status'] !== 'reported') return false
  const runId = attempt['run_id'] as string
  if (attempt['held_by'] !== null)
    return openQuestionsOf(history, runId).some(({ id }) => attempt['held_by'] === `question:${id}`)
  return history.rows('stops').size > 0
}

function checkRun(history: History, run: Row): void {
  const runId = run['id'] as string
  const stuck = (why: string): void => history.fail('every run ends or waits for a named reason', `${runId} ${why}`)
  const gates = pendingGatesOf(history, runId).filter((gate) => gate['approver'] === 'operator')
  if (gates.some(haltsRun) || history.rows('stops').size > 0) return
  const questions = [...openQuestionsOf(history, runId), ...budgetQuestionsFor(history, run)]
  const held = heldBriefs(history, runId)
  if (gates.length + questions.length + held.length === 0)
    return stuck(`is ${run['status']} and waits for nothing (${listOf(history, runId)})`)
  const isAsked = (brief: Row): boolean =>
    questions.some((question) => question['brief_id'] === brief['id'] || isAboutBudgetOf(history, question, brief)) ||
    gates.some((gate) => gate['boundary'] === `brief:${brief['id']}`) ||
    isResolved(history, brief)
  const hasFailed = history
    .of('briefs', runId)
    .some((brief) => brief['status'] === 'failed' && brief['kind'] !== 'verify')
  const isShort = questions.some((question) => question['class'] === 'budget') || isAskedLater(history, run)
  for (const brief of history.of('briefs', runId)) {
    if (isAtWork(brief)) stuck(`has ${nameOf(brief)} ${brief['status']} without a live attempt`)
    if (brief['status'] === 'blocked' && !isAsked(brief)) stuck(`has ${nameOf(brief)} blocked by nothing`)
    if (brief['status'] === 'failed' && brief['kind'] !== 'verify' && !isAsked(brief) && run['abandoned'] !== 1)
      stuck(`has ${nameOf(brief)} failed without a question about it`)
    const isReady = brief['status'] === 'pending' && brief['unmet_dependencies'] === 0 && brief['hold_count'] === 0
    if (isReady && (!hasFailed || brief['phase'] === 'resolve') && !isShort)
      stuck(`has ${nameOf(brief)} ready, but it is not claimed`)
    // In a tiered run, tasks wait for each other and then for their joint verdict.
    if (brief['status'] === 'ready_for_verification' && !hasFailed && !isTiered(run)) {
      const judge = history
        .of('briefs', runId)
        .find((each) => each['verifies'] === brief['id'] && each['verifies_attempt'] === brief['attempts'])
      // A blocked verifier waits for an answer itself, such as one about a budget.
      if (judge === undefined || !['pending', 'blocked'].includes(judge['status'] as string))
        stuck(`has ${nameOf(brief)} waiting for a verdict`)
    }
  }
}

/**
 * Reports whether a shared budget is used up, and finished work of the run waits for another answer: the run asks
 * about the budget afterwards, because its end would throw that work away.
 */
const isAskedLater = (history: History, run: Row): boolean =>
  history.of('attempts', run['id'] as string).some((attempt) => attempt['held_by'] !== null) &&
  [...history.rows('budgets').values()].some(
    (budget) =>
      budget['scope'] !== 'brief' &&
      (isSpent(budget['tokens_spent'], budget['token_limit']) ||
        isSpent(budget['micros_spent'], budget['cost_limit_micros'])),
  )

const isSpent = (spent: unknown, limit: unknown): boolean => limit !== null && Number(spent) >= Number(limit)

/** Reports whether a higher tier is resolving the problem. */
const isResolved = (history: History, brief: Row): boolean =>
  brief['cap_key'] !== null &&
  history
    .of('briefs', brief['run_id'] as string)
    .some((other) => other['phase'] === 'resolve' && !hasEndedBrief(other) && other['id'] !== brief['id'])

/** Returns the open questions about shared budgets that belong to another run and hold this one too. */
const budgetQuestionsFor = (history: History, run: Row): Row[] => {
  const isHeldBy = (brief: Row, key: unknown): boolean =>
    holdsOf(history, brief).some((hold) => {
      const subject =
        hold === 'budget:persona'
          ? brief['persona_id']
          : hold === 'budget:mission'
            ? run['mission_id']
            : run['organisation_id']
      return key === `${hold}:${subject as string}`
    })
  return [...history.rows('questions').values()].filter(
    (question) =>
      question['class'] === 'budget' &&
      question['answered_at'] === null &&
      question['run_id'] !== run['id'] &&
      history.of('briefs', run['id'] as string).some((brief) => isHeldBy(brief, question['asked_by'])),
  )
}

const isAboutBudgetOf = (history: History, question: Row, brief: Row): boolean =>
  question['class'] === 'budget' && holdsOf(history, brief).some((hold) => hold.startsWith('budget:'))

/** Returns the briefs that wait for a cancelled brief, which the operator has to cancel as well. */
export const heldBriefs = (history: History, runId: string): Row[] =>
  history.of('briefs', runId).filter(
    (brief) =>
      brief['status'] === 'pending' &&
      holdsOf(history, brief).some((hold) => {
        const awaited = /^dependency_failed:(.*)$/.exec(hold)?.[1]
        return awaited !== undefined && history.row('briefs', awaited)?.['status'] === 'cancelled'
      }),
  )

const listOf = (history: History, runId: string): string =>
  history
    .of('briefs', runId)
    .map((brief) => {
      const holds = holdsOf(history, brief)
      return `${brief['key']} ${brief['status']}${holds.length === 0 ? '' : ` held by ${holds.join(', ')}`}`
    })
    .join(', ')
