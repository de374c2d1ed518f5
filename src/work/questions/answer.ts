import { updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief, Guidance } from '../briefs/contract.ts'
import { endStatuses } from '../briefs/states.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { findNoteById } from '../notes/store.ts'
import { type Question, takesOwnWords } from './contract.ts'
import { findQuestion, listQuestionsOfBrief, questions } from './store.ts'
import { checkAnswer, continueAfterChecks } from '../repository-settings/answer.ts'
import { goOnAfterBudget } from '../budgets/answer.ts'
import { resumeRun } from '../gates/decide.ts'
import { resolveNote } from '../notes/moves.ts'
import type { RunScope } from '../scope.ts'
import { abandonBrief, resets, unblockBrief } from '../briefs/unblock.ts'
import { continueAfterProof, isAboutProof } from '../proofs/answer.ts'
import { isAboutClaim } from './ask.ts'
import { dropResolveBrief } from './seat-brief.ts'
import { continueMerge, isAboutMerge } from '../pull-requests/faults.ts'
import { touchRun } from '../runs/moves.ts'
import { endRun } from '../runs/end.ts'

/**
 * Records the answer and applies it to the note or the brief of the question, and to nothing else. `answering` is the
 * brief whose agent answers while it works: the brief of the rung then continues to its own end.
 */
export async function answerQuestion(
  scope: RunScope,
  questionId: string,
  by: string,
  answer: string,
  answering?: string,
): Promise<Question> {
  const { tx, run } = scope
  const question = await findQuestion(tx, questionId)
  if (question === undefined || question.runId !== run.id) throw bug(`question ${questionId} vanished`)
  if (question.answeredAt !== null)
    throw refusal(
      'illegal_transition',
      `question ${question.id} is ${question.status} already${question.answeredBy === null ? '' : `, by ${question.answeredBy}`}`,
      {
        data: { answer: question.answer },
      },
    )
  const chosen = question.options.find((option) => option.key === answer || option.label === answer)
  const clean = shorten(redact(answer), 10_000)
  // A mistyped answer must not decide whether a run continues.
  if (chosen === undefined && !takesOwnWords(question))
    throw refusal(
      'invalid_input',
      `"${shorten(clean, 100)}" is not one of the options: ${question.options.map(({ key }) => key).join(', ')}`,
      {
        hint: `Answer ${question.options.map(({ key }) => key).join(' or ')}.`,
      },
    )
  if (question.class === 'checks') checkAnswer(question, chosen?.key ?? null, answer)
  const patch = { status: 'answered' as const, answer: clean, answeredBy: by, answeredAt: tx.at }
  await touchRun(
    scope,
    { questionsOpen: run.questionsOpen - 1 },
    {
      kind: 'question_answered',
      level: 'normal',
      code: 'QUESTION',
      briefId: question.briefId,
      message: `✓ ${chosen?.label ?? shorten(clean, 300)}`,
      data: { question_id: question.id, answer: clean, by },
    },
    [updated(questions, question, patch)],
  )
  if (answering === undefined || question.resolveBriefId !== answering)
    await dropResolveBrief(scope, question, `${by} has answered its question`)
  if (question.noteId !== null) await settleNote(scope, question.noteId, chosen?.label ?? clean)
  if (question.class === 'gate' || isAboutClaim(question)) await goOnAfterPause(scope, chosen?.key ?? null, by)
  if (question.class === 'checks') await continueAfterChecks(scope, question, chosen?.key ?? null, answer, by)
  else if (isAboutProof(question)) await continueAfterProof(scope, question, chosen?.key ?? null, clean, by)
  else if (isAboutMerge(question)) await continueMerge(scope, question, chosen?.key ?? null, by)
  else if (question.class === 'budget') await goOnAfterBudget(scope, question, chosen?.key ?? null, clean, by)
  else if (question.briefId !== null) await release(scope, question, chosen?.key ?? null, chosen?.label ?? clean, by)
  return { ...question, ...patch }
}

async function settleNote(scope: RunScope, noteId: string, answer: string): Promise<void> {
  const note = await findNoteById(scope.tx, noteId)
  if (note === undefined) throw bug(`note ${noteId} vanished`)
  await resolveNote(scope, note, answer, 'operator')
}

async function goOnAfterPause(scope: RunScope, key: string | null, by: string): Promise<void> {
  if (key === 'abandon') return endRun(scope, 'failed', 'the operator gave up')
  if (scope.run.status === 'paused') await resumeRun(scope, by)
}

async function release(
  scope: RunScope,
  question: Question,
  key: string | null,
  answer: string,
  by: string,
): Promise<void> {
  const brief = await findBrief(scope.tx, question.briefId as string)
  if (brief === undefined) throw bug(`question ${question.id} is about a brief that does not exist`)
  if (endStatuses.includes(brief.status) && (brief.status !== 'failed' || question.class === 'note')) return
  if (key === 'abandon') return abandonBrief(scope, brief, `abandoned by ${by}`)
  const guidance: Guidance[] =
    key === 'retry' ? brief.guidance : [...brief.guidance, { question: question.text, answer, by }]
  const patch = {
    ...(question.class === null ? {} : resets[question.class]),
    guidance,
    ...(key === 'allow' ? await allowedOf(scope, question, brief) : {}),
  }
  // A running agent finds the answer in its note; the next one receives it in its prompt.
  if (brief.status !== 'blocked' && brief.status !== 'failed') {
    await touchRun(
      scope,
      {},
      { kind: 'log', message: `${brief.key} receives the answer at its next start`, briefId: brief.id },
      [updated(briefs, brief, { guidance })],
    )
    return
  }
  if (brief.status === 'blocked' && (await isStillAsked(scope, brief))) {
    await touchRun(scope, {}, { kind: 'log', message: `${brief.key} waits for more answers`, briefId: brief.id }, [
      updated(briefs, brief, patch),
    ])
    return
  }
  await unblockBrief(scope, brief, patch, `answered by ${by}`)
}

/** Allows the operations that were denied to the last attempt, by the runtime or by Agency. */
async function allowedOf(scope: RunScope, question: Question, brief: Brief): Promise<Partial<Brief>> {
  if (question.class !== 'permission' && question.class !== 'secret') return {}
  const attempt = brief.attemptId === null ? undefined : await findAttempt(scope.tx, brief.attemptId)
  return { allowed: [...new Set([...brief.allowed, ...(attempt?.denied ?? []).map(({ rule }) => rule)])] }
}

async function isStillAsked(scope: RunScope, brief: Brief): Promise<boolean> {
  return (await listQuestionsOfBrief(scope.tx, brief.id)).some((question) => question.answeredAt === null)
}
