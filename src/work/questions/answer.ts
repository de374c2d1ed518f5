import { updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Note } from '../notes/contract.ts'
import { findNoteById, listRoutedNotes } from '../notes/store.ts'
import type { Question } from './contract.ts'
import { readAnswer } from './read-answer.ts'
import { findQuestion, questions } from './store.ts'
import { checkAnswer, continueAfterChecks } from '../repository-settings/answer.ts'
import { goOnAfterBudget } from '../budgets/answer.ts'
import { resumeRun } from '../gates/decide.ts'
import { resolveNote } from '../notes/moves.ts'
import { sourceOf } from '../notes/source.ts'
import type { RunScope } from '../scope.ts'
import { continueAfterProof, isAboutProof } from '../proofs/answer.ts'
import { isAboutClaim } from './ask.ts'
import { endLook } from './loop.ts'
import { followAnswer } from './release.ts'
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
  const { chosen, clean } = readAnswer(question, answer)
  if (question.class === 'checks') checkAnswer(question, chosen?.key ?? null, answer)
  const patch = { status: 'answered' as const, answer: clean, answeredBy: by, answeredAt: tx.at }
  const answered = { ...question, ...patch }
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
  const endedAgent =
    (answering === undefined || question.resolveBriefId !== answering) &&
    (await dropResolveBrief(scope, question, `${by} has answered its question`))
  await endLook(scope, question, chosen?.key === 'abandon', by)
  if (question.class === 'note') await settleNotes(scope, question, chosen?.label ?? clean, by)
  if (question.class === 'gate' || isAboutClaim(question)) await goOnAfterPause(scope, chosen?.key ?? null, by)
  if (question.class === 'checks') await continueAfterChecks(scope, question, chosen?.key ?? null, answer, by)
  else if (isAboutProof(question)) await continueAfterProof(scope, question, chosen?.key ?? null, clean, by)
  else if (isAboutMerge(question)) await continueMerge(scope, question, chosen?.key ?? null, by)
  else if (question.class === 'budget') await goOnAfterBudget(scope, question, chosen?.key ?? null, clean, by)
  else if (question.briefId !== null)
    await followAnswer(scope, answered, { key: chosen?.key ?? null, answer: chosen?.label ?? clean, by })
  if (endedAgent && scope.run.briefsFailed > 0 && scope.run.endedAt === null)
    await scope.decide({ kind: 'siblings_ended' })
  return answered
}

/** Settles the note of a question, or all those of its brief that a playbook asks about together. */
async function settleNotes(scope: RunScope, question: Question, answer: string, by: string): Promise<void> {
  const source = await sourceOf(scope, question, by)
  for (const note of await notesOf(scope, question)) await resolveNote(scope, note, answer, source, { by })
}

async function notesOf({ tx, playbook }: RunScope, question: Question): Promise<Note[]> {
  if (question.noteId !== null) {
    const note = await findNoteById(tx, question.noteId)
    if (note === undefined) throw bug(`note ${question.noteId} vanished`)
    return [note]
  }
  if (question.briefId === null || playbook.decidesAnswer?.(question) === true) return []
  return listRoutedNotes(tx, question.briefId)
}

async function goOnAfterPause(scope: RunScope, key: string | null, by: string): Promise<void> {
  if (key === 'abandon') return endRun(scope, 'failed', 'the operator gave up')
  if (scope.run.status === 'paused') await resumeRun(scope, by)
}
