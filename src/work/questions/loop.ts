import { updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs } from '../briefs/store.ts'
import { openGate, releaseGate } from '../gates/open.ts'
import { listPendingOfRun } from '../gates/store.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Question, QuestionClass } from './contract.ts'
import { isSimilar } from './similarity.ts'
import { listQuestionsOfBrief } from './store.ts'

export interface Loop {
  readonly kind: 'similar' | 'any'
  /** Includes the question that is asked now. */
  readonly count: number
}

/** How many questions of any wording a brief may ask before the operator looks at it. */
const anyLimit = 5

/** The number of similar questions about a brief at which the operator looks at it. */
const similarLimitOf = ({ run }: RunScope): number => run.configuration.team?.limits.similarEscalations ?? 3

/**
 * Questions to which an attempt or its checks lead. Those about permissions are left out: two denied operations may have
 * the same description, and each needs its own.
 */
const counted: ReadonlySet<QuestionClass> = new Set([
  'asked',
  'bad_output',
  'verification',
  'crash',
  'interrupted',
  'fault',
])

/**
 * Counts the earlier questions of a brief. Returns the loop that further ones, asked together, would continue, or null.
 * Questions that one report asks together count once.
 */
export async function findLoop(
  scope: RunScope,
  brief: Brief,
  { texts, cause }: { texts: readonly string[]; cause: QuestionClass },
): Promise<Loop | null> {
  if (!counted.has(cause) || isInterview(scope, brief)) return null
  const earlier = (await listQuestionsOfBrief(scope.tx, brief.id)).filter(
    (question) => question.class !== null && counted.has(question.class) && !isSettledByRung(question),
  )
  const reasons = texts.map((text) => reasonOf(brief, text))
  const similar = earlier.filter(
    (question) =>
      question.class === cause && reasons.some((reason) => isSimilar(reasonOf(brief, question.text), reason)),
  )
  const times = countAskings(similar) + 1
  if (times > 1) await countRepetition(scope, brief, times)
  if (times >= similarLimitOf(scope)) return { kind: 'similar', count: times }
  const all = countAskings(earlier) + 1
  return all >= anyLimit ? { kind: 'any', count: all } : null
}

/**
 * Reports whether a rung of the playbook answered: the next question goes to the rung above it, so that a repetition
 * cannot continue without end.
 */
const isSettledByRung = ({ status, resolveBriefId, currentPositionId }: Question): boolean =>
  status === 'answered' && resolveBriefId !== null && currentPositionId === null

const isInterview = ({ playbook }: RunScope, { phase }: Brief): boolean =>
  phase !== null && playbook.interviews?.includes(phase) === true

const countAskings = (asked: readonly Question[]): number =>
  new Set(asked.map(({ id, attemptId }) => attemptId ?? id)).size

/** Returns the text of a question about a stuck brief. */
export const stuckText = (brief: Brief, reason: string): string => `${brief.key} is stuck: ${reason}`

/** The words that every question about a stuck brief has make no two of them similar. */
const reasonOf = (brief: Brief, text: string): string => {
  const beginning = stuckText(brief, '')
  return text.startsWith(beginning) ? text.slice(beginning.length) : text
}

async function countRepetition(scope: RunScope, brief: Brief, times: number): Promise<void> {
  const used = brief.similarEscalations + 1
  await touchRun(
    scope,
    {},
    {
      kind: 'log',
      briefId: brief.id,
      message: `${brief.key} asks the same question again (${times} times)`,
      data: { class: 'repeat_escalation', used, limit: similarLimitOf(scope) - 1 },
    },
    [updated(briefs, brief, { similarEscalations: used })],
  )
}

/** Holds a brief at a gate because it asks again and again. Its question can still be answered, which opens the gate. */
export async function holdForLook(
  scope: RunScope,
  brief: Brief,
  question: Question,
  { kind, count }: Loop,
): Promise<void> {
  const times = kind === 'similar' ? `asked ${count} times` : `${count} questions of one brief`
  await touchRun(
    scope,
    {},
    {
      kind: 'loop_detected',
      code: 'ESCALATE',
      briefId: brief.id,
      level: 'normal',
      message: `${brief.key} may be in a loop: ${times}`,
      data: { task_id: brief.key, count, similar: kind === 'similar', question_id: question.id },
    },
  )
  await openGate(scope, {
    gate: 'escalation',
    boundary: `brief:${brief.id}`,
    summary: {
      produced: question.text,
      next: choicesOf(scope, brief, question),
      anomalies: [times],
      ...(question.class === null ? {} : { class: question.class }),
      questionId: question.id,
    },
  })
}

const choicesOf = ({ run }: RunScope, { key }: Brief, { id }: Question): string =>
  run.configuration.approvalsNeeded > 1
    ? `Answer the question (agency answer ${id} "…") if ${key} needs an answer, which it keeps; then approve to let it try once more, or reject to give it up.`
    : `Answer the question (agency answer ${id} "…"), approve to let ${key} try once more without an answer, or reject to give it up.`

/** Opens the gate of a question that was answered; an answer to any question that gives the brief up closes it. */
export async function endLook(scope: RunScope, question: Question, isGivenUp: boolean, by: string): Promise<void> {
  if (scope.run.gatesPending === 0) return
  const gate = (await listPendingOfRun(scope.tx, scope.run.id)).find(
    ({ gate: kind, boundary, summary }) =>
      summary?.questionId === question.id ||
      (isGivenUp && kind === 'escalation' && boundary === `brief:${question.briefId}`),
  )
  // One person answers, but only several may open a gate that needs several.
  if (gate === undefined || (gate.approvalsNeeded > 1 && !isGivenUp)) return
  const decidedAt = scope.tx.at
  const reason = `its question is answered by ${by}`
  await releaseGate(
    scope,
    gate,
    isGivenUp ? { status: 'rejected', reason, by, decidedAt } : { status: 'approved', note: reason, by, decidedAt },
    {
      kind: isGivenUp ? 'gate_rejected' : 'gate_approved',
      code: isGivenUp ? 'REJECTED' : 'APPROVED',
      message: `${isGivenUp ? '✗' : '✓'} ${gate.gate}: ${shorten(reason, 300)}`,
      data: { reason, by, question_id: question.id },
    },
  )
}

/** Reports whether a brief is held for a look that an answer to its question does not end. */
export const isHeldForLook = async ({ tx, run }: RunScope, { id }: Brief): Promise<boolean> =>
  run.gatesPending > 0 &&
  (await listPendingOfRun(tx, run.id)).some(({ gate, boundary }) => gate === 'escalation' && boundary === `brief:${id}`)
