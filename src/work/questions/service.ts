import type { Db, ReadTx } from '../../db/port.ts'
import { mayDecide } from '../authority.ts'
import { answerForSeat } from './answer-for-seat.ts'
import { answerQuestion } from './answer.ts'
import { withWaitingRuns } from '../budgets/show.ts'
import { type RunScope, type ScopeParts, scopeOf, withoutPlaybook } from '../scope.ts'
import { change } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { AgencyError, bug, notFound, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { redact } from '../../secrets/redact.ts'
import { listLiveAttemptsOfRun } from '../attempts/store.ts'
import type { Run } from '../runs/contract.ts'
import { endRun } from '../runs/end.ts'
import { resolveRun } from '../runs/find.ts'
import { findRun } from '../runs/store.ts'
import { type Deferred, delayWhileWaiting, refuseWhileWaiting, type Subject } from '../decisions/deferred.ts'
import { type Question, type QuestionView, runIdOf } from './contract.ts'
import { factsOf } from './facts.ts'
import { answerOfOrganisation } from './of-organisation.ts'
import { remindOfQuestion } from './remind.ts'
import { questionViews } from './view.ts'
import { countQuestions, findQuestion, findQuestionsByPrefix, listQuestions, questions } from './store.ts'

export interface QuestionDeps {
  db: Db
  scopes: ScopeParts
  /** Receives, after commit, the attempts with agents that must stop: an answer can end a run. */
  interrupt: (attemptIds: readonly string[]) => void
  chaosPoint: ChaosPoint
}

/** A list contains the facts of so many questions: those at its top, which are read first. */
const shownWithFacts = 50

export type Questions = ReturnType<typeof createQuestions>

export function createQuestions({ db, scopes, interrupt, chaosPoint }: QuestionDeps) {
  const find = (questionId: string, by?: Actor): Promise<{ question: Question; run: Run | null }> =>
    db.read(async (tx) => {
      const question = await requireQuestion(tx, questionId, by)
      if (by !== undefined) await mayDecide(tx, by, { kind: 'question', question })
      return { question, run: question.runId === null ? null : await runOf(tx, question) }
    })

  return {
    list: (query: {
      runId?: string | undefined
      organisationId?: number | undefined
      all?: boolean | undefined
      limit: number
    }) =>
      db.read(async (tx) => {
        const runId = query.runId === undefined ? undefined : await resolveRun(tx, query.runId)
        const wanted = { runId, organisationId: query.organisationId, onlyWaiting: query.all !== true }
        const found = await listQuestions(tx, wanted, query.limit)
        const shown: Question[] = []
        for (const question of found) shown.push(await withWaitingRuns(tx, question))
        const facts = await factsOf(tx, shown.filter(({ answeredAt }) => answeredAt === null).slice(0, shownWithFacts))
        return {
          questions: (await questionViews(tx, shown)).map((question) => ({
            ...question,
            facts: facts.get(question.id) ?? null,
          })),
          total: await countQuestions(tx, wanted),
        }
      }),

    async show(by: Actor, questionId: string): Promise<QuestionView> {
      const question = await db.read(async (tx) => {
        const found = await withWaitingRuns(tx, await requireQuestion(tx, questionId, by))
        // The facts contain outputs of other briefs, which an agent has no right to read.
        const facts = by.kind === 'agent' ? null : ((await factsOf(tx, [found])).get(found.id) ?? null)
        const [question = found] = await questionViews(tx, [found])
        return { ...question, facts }
      })
      // An agent sees the questions of its run and those that name its seat; it must not learn whether another question exists.
      if (by.kind === 'agent' && question.runId !== by.runId)
        await db.read((tx) => mayDecide(tx, by, { kind: 'question', question }))
      return question
    },

    async answer(by: Actor, questionId: string, answer: string, deferred?: Deferred): Promise<Question> {
      const { run: known, question: asked } = await find(questionId, by)
      if (known === null)
        return db.write([questions.stream(asked)], async (tx) => {
          tx.afterCommit(() => chaosPoint('question.answered'))
          const question = await requireQuestion(tx, questionId, by)
          const name = await mayDecide(tx, by, { kind: 'question', question })
          const subject = await openSubject(tx, question, name, deferred)
          const answered = await answerOfOrganisation(tx, question, name, answer)
          await deferred?.settle(tx, subject)
          return answered
        })
      const system = asked.class === 'checks' ? (['system'] as const) : []
      const own = by.kind === 'agent' ? ([`run:${by.runId}`] as const) : []
      const record = (parts: ScopeParts): Promise<Question> =>
        db.write([`run:${known.id}`, ...own, `org:${known.organisationId}`, ...system], async (tx) => {
          const question = await requireQuestion(tx, questionId, by)
          const subject = await openSubject(tx, question, actorName(by), deferred)
          if (by.kind === 'agent') return answerForSeat(parts, tx, by, question, answer)
          const scope = scopeOf(parts, tx, await runOf(tx, question), actorName(by))
          const live = (await listLiveAttemptsOfRun(tx, known.id)).map((attempt) => attempt.id)
          const answered = await answerQuestion(scope, question.id, actorName(by), answer)
          if (scope.run.endedAt !== null) tx.afterCommit(() => interrupt(live))
          await deferred?.settle(tx, subject)
          tx.afterCommit(() => chaosPoint('question.answered'))
          return answered
        })
      if (!isGivingUp(asked, answer)) return record(scopes)
      const endWithout = (error: unknown): Promise<Question> =>
        record({ ...withoutPlaybook(scopes, known), decide: (scope) => endUndecided(scope, actorName(by), error) })
      if (!scopes.playbooks.has(known.playbook))
        return endWithout(new Error(`the playbook "${known.playbook}" does not exist`))
      let fault: unknown
      const decide: ScopeParts['decide'] = (scope, event) =>
        scopes.decide(scope, event).catch((error: unknown) => {
          fault = error
          throw error
        })
      try {
        return await record({ ...scopes, decide })
      } catch (error) {
        if (error !== fault || (error instanceof AgencyError && error.code !== 'bug')) throw error
        // A playbook that throws must not keep a run open that the operator gives up.
        return endWithout(error)
      }
    },

    /** Handles the wake-up that was scheduled when a question arrived at the operator. It may come twice, and too late. */
    async remind(questionId: string): Promise<void> {
      const runId = await db.read(async (tx) => (await findQuestion(tx, questionId))?.runId ?? null)
      if (runId === null) return
      await db.write([`run:${runId}`], async (tx) => {
        const delayMs = await delayWhileWaiting(tx, questionId)
        if (delayMs !== null) return scopes.later?.(tx, { kind: 'question_due', questionId, delayMs })
        const run = await findRun(tx, runId)
        if (run !== undefined) await remindOfQuestion(scopeOf(scopes, tx, run, 'daemon'), questionId)
      })
    },

    async acknowledge(by: Actor, questionId: string): Promise<Question> {
      const { question: asked } = await find(questionId)
      return db.write([questions.stream(asked)], async (tx) => {
        const question = await requireQuestion(tx, questionId)
        if (question.answeredAt !== null)
          throw refusal('illegal_transition', `question ${question.id} is ${question.status} already`)
        if (question.acknowledgedAt !== null) return question
        return change(
          tx,
          questions,
          question,
          { acknowledgedAt: tx.at },
          {
            kind: 'question_acknowledged',
            by: actorName(by),
            runId: question.runId,
            briefId: question.briefId,
            level: 'verbose',
            message: `seen: ${shorten(question.text, 200)}`,
            data: { question_id: question.id },
          },
        )
      })
    },
  }
}

/** Refuses an answer beside one that waits to take effect. A question that is answered is refused by the answer itself. */
async function openSubject(
  tx: ReadTx,
  { id, runId, organisationId, answeredAt }: Question,
  by: string,
  deferred: Deferred | undefined,
): Promise<Subject> {
  const about = runId === null ? `question ${id}` : `question ${id} of ${runId}`
  const subject = { runId, organisationId, target: id, by, about, isSingle: true }
  if (deferred?.id !== null && answeredAt === null) await refuseWhileWaiting(tx, subject, deferred?.id)
  return subject
}

/** Reports whether an answer gives up work that a fault of Agency has stopped. */
const isGivingUp = ({ class: cause, options }: Question, answer: string): boolean =>
  cause === 'fault' && options.some(({ key, label }) => key === 'abandon' && [key, label].includes(answer.trim()))

/** Ends a run whose playbook cannot be asked, and names the fault. */
async function endUndecided(scope: RunScope, by: string, error: unknown): Promise<void> {
  if (scope.run.endedAt !== null) return
  const fault = shorten(redact(error instanceof Error ? error.message : String(error)), 500)
  await endRun(scope, 'failed', `abandoned by ${by}, without its playbook: ${fault}`)
}

/** Finds a question by its id; the operator also finds it by a unique beginning of it. */
async function requireQuestion(tx: ReadTx, id: string, by?: Actor): Promise<Question> {
  const exact = await findQuestion(tx, id)
  if (exact !== undefined) return exact
  const full = id.startsWith('qst_') ? id : `qst_${id}`
  const found = full === 'qst_' || by?.kind === 'agent' ? [] : await findQuestionsByPrefix(tx, full)
  if (found[0] === undefined)
    // An agent gets the same words for a question that it must not know about, and cannot list questions.
    throw notFound('question', id, by?.kind === 'agent' ? undefined : 'List those that wait with "agency questions".')
  if (found.length > 1)
    throw refusal('invalid_input', `"${id}" is the beginning of several questions`, { hint: 'Give more of the id.' })
  return found[0]
}

async function runOf(tx: ReadTx, question: Question): Promise<Run> {
  const run = await findRun(tx, runIdOf(question))
  if (run === undefined) throw bug(`question ${question.id} has no run`)
  return run
}
