import { record, updated } from '../events/change.ts'
import { bug, refusal } from '../kernel/errors.ts'
import { redact, shorten } from '../kernel/text.ts'
import type { Brief, Guidance } from '../work/briefs/contract.ts'
import { briefs, findBrief } from '../work/briefs/store.ts'
import { noteName } from '../work/notes/contract.ts'
import { findNoteById, notes } from '../work/notes/store.ts'
import type { Question, QuestionClass } from '../work/questions/contract.ts'
import { findQuestion, listQuestionsOfBrief, questions } from '../work/questions/store.ts'
import { endRun } from './decisions.ts'
import { resumeRun } from './gates.ts'
import { type RunScope, touchRun } from './scope.ts'
import { abandonBrief, unblock } from './unblock.ts'

/** The answer goes to the note it came from, to the brief it stopped, and to nothing else. */
export async function answerQuestion(
  scope: RunScope,
  questionId: string,
  by: string,
  answer: string,
): Promise<Question> {
  const { tx, run } = scope
  const question = await findQuestion(tx, questionId)
  if (question === undefined || question.runId !== run.id) throw bug(`question ${questionId} vanished`)
  if (question.answeredAt !== null)
    throw refusal(
      'illegal_transition',
      `question ${question.id} is ${question.status} already, by ${question.answeredBy}`,
      {
        data: { answer: question.answer },
      },
    )
  const chosen = question.options.find((option) => option.key === answer || option.label === answer)
  const clean = shorten(redact(answer), 10_000)
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
  if (question.noteId !== null) await settleNote(scope, question.noteId, chosen?.label ?? clean)
  if (question.class === 'gate') await goOnAfterGate(scope, chosen?.key ?? null, by)
  if (question.briefId !== null) await release(scope, question, chosen?.key ?? null, clean, by)
  return { ...question, ...patch }
}

async function settleNote(scope: RunScope, noteId: string, answer: string): Promise<void> {
  const note = await findNoteById(scope.tx, noteId)
  if (note === undefined) throw bug(`note ${noteId} vanished`)
  const patch = {
    status: 'resolved' as const,
    resolution: answer,
    resolvedBy: 'user' as const,
    resolutionSource: 'operator' as const,
    resolvedAt: scope.tx.at,
  }
  await record(
    scope.tx,
    {
      kind: 'note_resolved',
      by: scope.by,
      runId: note.runId,
      briefId: note.briefId,
      message: `${noteName(note)}: ${shorten(answer, 300)}`,
      data: { note_id: noteName(note), resolved_by: 'user' },
    },
    [updated(notes, note, patch)],
  )
}

async function goOnAfterGate(scope: RunScope, key: string | null, by: string): Promise<void> {
  if (key === 'abandon') return endRun(scope, 'failed', 'the operator gave up')
  if (scope.run.status === 'paused') await resumeRun(scope, by)
}

/** The counter that stopped it starts anew, the others stay. */
const resets: Partial<Record<QuestionClass, Partial<Brief>>> = {
  bad_output: { retriesUsed: 0 },
  verification: { verificationFailures: 0 },
  crash: { crashRetries: 0 },
  interrupted: { interruptions: 0 },
}

async function release(
  scope: RunScope,
  question: Question,
  key: string | null,
  answer: string,
  by: string,
): Promise<void> {
  const brief = await findBrief(scope.tx, question.briefId as string)
  if (brief === undefined) throw bug(`question ${question.id} is about a brief that is not there`)
  if (brief.status !== 'blocked' && brief.status !== 'failed') return
  if (key === 'abandon') return abandonBrief(scope, brief, `given up by ${by}`)
  const guidance: Guidance[] =
    key === 'retry' ? brief.guidance : [...brief.guidance, { question: question.text, answer, by }]
  const patch = { ...(question.class === null ? {} : resets[question.class]), guidance }
  if (brief.status === 'blocked' && (await isStillAsked(scope, brief))) {
    await touchRun(scope, {}, { kind: 'log', message: `${brief.key} waits for more answers`, briefId: brief.id }, [
      updated(briefs, brief, patch),
    ])
    return
  }
  await unblock(scope, brief, patch, `answered by ${by}`)
}

async function isStillAsked(scope: RunScope, brief: Brief): Promise<boolean> {
  return (await listQuestionsOfBrief(scope.tx, brief.id)).some((question) => question.answeredAt === null)
}
