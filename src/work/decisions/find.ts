import type { ReadTx } from '../../db/port.ts'
import { AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import { findGate, findGatesByPrefix } from '../gates/store.ts'
import { findQuestion, findQuestionsByPrefix } from '../questions/store.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import { resolveRun } from '../runs/find.ts'
import { findRun } from '../runs/store.ts'
import type { Decision } from './contract.ts'
import { decisionText, pastOf } from './deferred.ts'
import { findDecision, listDecisionsAbout, listDecisionsOfRun } from './store.ts'

/** Returns the gate or question of a decision in words. */
export async function aboutOf(tx: ReadTx, { target, runId }: Pick<Decision, 'target' | 'runId'>): Promise<string> {
  const gate = await findGate(tx, target)
  const name = gate === undefined ? `question ${target}` : gate.gate
  return runId === null ? name : `${name} of ${runId}`
}

/** Finds the one decision that a gate, a question, a run or a decision names and that waits to take effect. */
export async function requireWaiting(tx: ReadTx, named: string): Promise<Decision> {
  const target = await completed(tx, named)
  const found = await decisionsNamed(tx, target)
  const waiting = found.filter(({ status }) => status === 'waiting')
  const [decision, ...more] = waiting
  if (decision === undefined) throw await nothingWaits(tx, target, found.at(-1))
  if (more.length === 0) return decision
  throw refusal('conflict', `several decisions about ${target} wait: ${waiting.map(decisionLine).join(', ')}`, {
    hint: `Name one of them: agency undo ${decision.id}`,
    data: { decisions: waiting.map(({ id }) => id) },
  })
}

/** Completes the beginning of the id of a gate or a question: the wrong one of several must not be taken back. */
async function completed(tx: ReadTx, named: string): Promise<string> {
  const [kind] = /^(gat|qst)_(?=.)/.exec(named) ?? []
  if (kind === undefined) return named
  const found = kind === 'gat_' ? await findGatesByPrefix(tx, named) : await findQuestionsByPrefix(tx, named)
  if (found.length > 1)
    throw refusal(
      'invalid_input',
      `"${named}" is the beginning of several ${kind === 'gat_' ? 'gates' : 'questions'}`,
      {
        hint: 'Give more of the id.',
      },
    )
  return found[0]?.id ?? named
}

async function decisionsNamed(tx: ReadTx, target: string): Promise<Decision[]> {
  const itself = await findDecision(tx, target)
  if (itself !== undefined) return [itself]
  if (/^(gat|qst)_/.test(target)) return listDecisionsAbout(tx, [target])
  const runId = await resolveRun(tx, target).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })
  return runId === null ? [] : listDecisionsOfRun(tx, runId)
}

async function nothingWaits(tx: ReadTx, target: string, last: Decision | undefined): Promise<AgencyError> {
  if (last !== undefined) return refuseUndo(tx, last)
  const gate = await findGate(tx, target)
  if (gate !== undefined && gate.status !== 'pending')
    return refusal('illegal_transition', `gate ${gate.id} (${gate.gate}) is ${gate.status}, in effect at once`, {
      ...(await nextStep(tx, gate.runId)),
    })
  const question = await findQuestion(tx, target)
  if (question !== undefined && question.answeredAt !== null)
    return refusal('illegal_transition', `question ${question.id} is ${question.status}, in effect at once`, {
      ...(await nextStep(tx, question.runId)),
    })
  if (gate !== undefined || question !== undefined || (await findRunNamed(tx, target)) !== undefined)
    return refusal('illegal_transition', `no decision about ${target} waits to take effect`)
  return notFound('gate, question, run or decision', target)
}

async function findRunNamed(tx: ReadTx, target: string) {
  const id = await resolveRun(tx, target).catch((error: unknown) => {
    // Two runs of this beginning, or a fault of the store, are another matter.
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })
  return id === null ? undefined : findRun(tx, id)
}

/** Returns the refusal to take back a decision that is settled, with the next step. */
export async function refuseUndo(tx: ReadTx, decision: Decision): Promise<AgencyError> {
  const { action, status, settledAt, reason, runId, id } = decision
  const about = decisionText(action, await aboutOf(tx, decision))
  const data = { decision_id: id, status }
  if (status === 'undone') return refusal('illegal_transition', `the ${about} was taken back at ${settledAt}`, { data })
  if (status === 'refused')
    return refusal('illegal_transition', `the ${about} did not take effect: ${reason}`, { data })
  return refusal('illegal_transition', `the ${about} took effect at ${settledAt}`, {
    data,
    ...(await nextStep(tx, runId)),
  })
}

/** Returns the command that ends the work that a decision has started, if there is one. */
async function nextStep(tx: ReadTx, runId: string | null): Promise<{ hint?: string }> {
  const run = runId === null ? undefined : await findRun(tx, runId)
  if (run?.status === 'done' && (await findPullRequestOf(tx, run.id))?.status === 'merged')
    return { hint: `Take the landed result back: agency revert ${run.id}` }
  if (run === undefined || run.endedAt !== null) return {}
  return { hint: `"agency pause ${run.id}" holds the run, "agency cancel ${run.id}" ends it.` }
}

const decisionLine = ({ id, action, by }: Decision): string => `${id} (${pastOf[action]} by ${by})`
