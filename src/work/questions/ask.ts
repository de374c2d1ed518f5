import { inserted, updated } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../briefs/contract.ts'
import { listFailedBriefs, listHoldsOfBrief } from '../briefs/store.ts'
import { bug } from '../../kernel/errors.ts'
import { describeUse, isUsedUp } from '../budgets/arithmetic.ts'
import type { Budget, BudgetScope } from '../budgets/contract.ts'
import { budgetsOfHold } from '../budgets/moves.ts'
import { budgets, findBudget } from '../budgets/store.ts'
import { findBudgetQuestion, questionKey } from '../budgets/waiting-store.ts'
import { listPendingOfRun } from '../gates/store.ts'
import type { Question, QuestionClass, QuestionKind, QuestionOption, Rung } from './contract.ts'
import { handToOperator, ladderOf, raiseQuestion } from './climb.ts'
import { dropResolveBrief } from './seat-brief.ts'
import { hasFailedAlike } from './failures.ts'
import { findLoop, holdForLook, stuckText } from './loop.ts'
import { choices } from './options.ts'
import { operatorRung } from './rungs.ts'
import { findQuestion, listWaitingOfRun, questions } from './store.ts'
import { repositoryOf } from '../repository-settings/store.ts'
import { keepPaused } from '../gates/open.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

export interface NewQuestion {
  brief: Brief | null
  kind: QuestionKind
  class: QuestionClass
  text: string
  context: string
  options: QuestionOption[]
  recommendation: string | null
  risk: Question['risk']
  noteId?: string | null
  askedBy?: string
  /** The attempt whose report asks it. */
  attemptId?: string | null
  /** The name that its playbook gives it. */
  key?: string | null
  /** The rungs below the lead and the operator; undefined: those of the playbook. */
  ladder?: readonly Rung[]
  /** It is the operator's at once and is shown with a gate, whose notification it shares. */
  isHeld?: boolean
}

/** Returns the author of a brief, as the hops of its questions name it. */
const authorOf = ({ playbook }: RunScope, brief: Brief): string =>
  playbook.describe?.(brief).author ?? `brief:${brief.key}`

/** Asks a question and routes it at once to the first authority that can answer. */
export async function askQuestion(scope: RunScope, wanted: NewQuestion): Promise<Question> {
  return raiseQuestion(scope, await addQuestion(scope, wanted))
}

/** Records a question that no rung has yet. */
async function addQuestion(scope: RunScope, wanted: NewQuestion): Promise<Question> {
  const { tx, run } = scope
  const askedBy = wanted.askedBy ?? (wanted.brief === null ? 'engine' : authorOf(scope, wanted.brief))
  const asked: Question = {
    id: scope.ids.next('question'),
    runId: run.id,
    organisationId: null,
    briefId: wanted.brief?.id ?? null,
    attemptId: wanted.attemptId ?? null,
    key: wanted.key ?? null,
    noteId: wanted.noteId ?? null,
    delegationId: null,
    kind: wanted.kind,
    class: wanted.class,
    text: shorten(redact(wanted.text), 4_000),
    context: shorten(redact(wanted.context), 20_000),
    options: wanted.options,
    recommendation: wanted.recommendation,
    risk: wanted.risk,
    status: 'open',
    answer: null,
    answeredBy: null,
    askedBy,
    hops: [],
    ladder: [],
    resolveBriefId: null,
    currentPositionId: null,
    acknowledgedAt: null,
    createdAt: tx.at,
    answeredAt: null,
  }
  const isHeld = wanted.isHeld === true
  const question = {
    ...asked,
    ladder: isHeld ? [operatorRung] : await ladderOf(scope, asked, wanted.brief, wanted.ladder),
  }
  const place = { runId: run.id, briefId: question.briefId }
  await touchRun(
    scope,
    { questionsOpen: run.questionsOpen + 1 },
    {
      kind: 'question_asked',
      level: 'normal',
      code: 'QUESTION',
      ...place,
      message: `? ${shorten(question.text, 300)}`,
      data: { question_id: question.id, kind: question.kind, class: question.class },
    },
    [inserted(questions, question)],
  )
  return question
}

/** The options of classes that offer more than a retry and giving up. */
const ownChoices: Partial<Record<QuestionClass, { options: QuestionOption[]; recommendation: string }>> = {
  permission: {
    options: [
      {
        key: 'allow',
        label: 'Allow it',
        detail: 'The brief continues where it stopped; this operation is allowed from now on.',
      },
      { key: 'refuse', label: 'Continue without it', detail: 'The brief continues and must find another way.' },
      choices.abandon,
    ],
    recommendation: 'refuse',
  },
  secret: {
    options: [
      {
        key: 'remove',
        label: 'Remove it from every commit',
        detail: 'The agent removes it. Work that contains a secret, even in an earlier commit, is not collected.',
      },
      { key: 'allow', label: 'It is not a secret', detail: 'It stays; this finding is not reported again.' },
      choices.abandon,
    ],
    recommendation: 'remove',
  },
}

const kindOf: Record<QuestionClass, QuestionKind> = {
  asked: 'requirement',
  note: 'requirement',
  bad_output: 'failure',
  verification: 'failure',
  crash: 'failure',
  interrupted: 'failure',
  budget: 'budget',
  gate: 'workflow',
  permission: 'technical',
  secret: 'technical',
  fault: 'technical',
  checks: 'technical',
  merge: 'conflict',
}

/** The fields of a question that its author sets; the others have the default of its class. */
export type Asked = Partial<
  Pick<
    NewQuestion,
    'text' | 'context' | 'kind' | 'options' | 'recommendation' | 'risk' | 'key' | 'attemptId' | 'ladder'
  >
>

/** Asks about the reason that stopped a brief, with options: one question, or the set that its author asks at once. */
export async function askAboutBrief(
  scope: RunScope,
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  asked: readonly Asked[] = [{}],
): Promise<void> {
  const isHopeless = retried.has(cause) && (await hasFailedAlike(scope.tx, brief.id))
  const wanted = asked.map((each) => wordingOf(brief, reason, cause, each, isHopeless))
  const loop = await findLoop(scope, brief, { texts: wanted.map(({ text }) => text), cause })
  const added: Question[] = []
  for (const each of wanted) added.push(await addQuestion(scope, { ...each, isHeld: loop !== null }))
  const [first] = added
  if (loop !== null && first !== undefined) {
    for (const question of added) await handToOperator(scope, question)
    return holdForLook(scope, brief, first, loop)
  }
  // The whole set is there before a rung has the first question, so that no early answer lets the brief continue.
  for (const { id } of added) {
    const question = await findQuestion(scope.tx, id)
    // The answer to an earlier one may have ended the work.
    if (question?.status === 'open') await raiseQuestion(scope, question)
  }
}

/** Classes whose question offers another attempt at the same work. */
const retried: ReadonlySet<QuestionClass> = new Set(['bad_output', 'verification', 'crash'])

const wordingOf = (
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  { text, context, kind, options, recommendation, risk, ...more }: Asked,
  /** The last attempts have failed in the same way: a further one alone is not recommended. */
  isHopeless: boolean,
): NewQuestion => ({
  ...more,
  brief,
  class: cause,
  kind: kind ?? kindOf[cause],
  text: text ?? (cause === 'asked' ? reason : stuckText(brief, reason)),
  context: context || shorten(brief.objective, 1_000),
  options: options?.length ? options : (ownChoices[cause]?.options ?? [choices.retry, choices.abandon]),
  recommendation:
    recommendation ?? ownChoices[cause]?.recommendation ?? (cause === 'asked' || isHopeless ? null : 'retry'),
  risk: risk ?? 'medium',
})

/**
 * Asks once for each budget, independent of the number of briefs and runs that it stops. The brief's hold names the
 * budget. The question belongs to the first run; if that ends, it is asked again for another one.
 */
export async function askAboutBudget(scope: RunScope, brief: Brief): Promise<void> {
  const hold = (await listHoldsOfBrief(scope.tx, brief)).find(({ kind }) => kind === 'budget')
  const held = (hold?.subject ?? 'brief') as BudgetScope
  const isOwn = held === 'brief'
  const [found] = await budgetsOfHold(scope, held, [brief])
  if (found === undefined) throw bug(`no budget of ${held} is above ${brief.id}`)
  // Two runs that find the same budget used up at the same time ask one after the other.
  await scope.tx.lock(budgets.stream(found))
  const budget = (await findBudget(scope.tx, held, found.scopeId)) as Budget
  // A limit that was raised meanwhile releases the brief, or makes it wait for reservations of others.
  if (!isUsedUp(budget) || (await findBudgetQuestion(scope.tx, budget)) !== undefined) return
  const reason = describeUse(budget)
  const isShared = !isOwn && held !== 'run'
  await askQuestion(scope, {
    brief: isOwn ? brief : null,
    kind: 'budget',
    class: 'budget',
    text: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    context: `${brief.key}: ${shorten(brief.objective, 1_000)}`,
    options: [
      {
        key: 'raise',
        label: 'Raise the limit',
        detail: `The limit is doubled, or raised by as much again above what is spent already${isShared ? ', and every run that waits for it continues' : ''}. Answer with an amount to set another limit, or with +$1 to add one dollar.`,
      },
      {
        key: 'abandon',
        label: 'Give up',
        detail: isOwn
          ? 'The brief fails, and the run with it.'
          : `The run fails.${isShared ? ' The question is asked again for other runs that wait.' : ''}`,
      },
    ],
    // Agency does not recommend spending more.
    recommendation: null,
    risk: 'medium',
    askedBy: questionKey(budget),
  })
}

export async function askAboutFailures(scope: RunScope): Promise<void> {
  // The question of a note is about an assumption of the brief, not about its failure.
  const asked = (await listWaitingOfRun(scope.tx, scope.run.id)).filter((question) => question.class !== 'note')
  const held = (await listPendingOfRun(scope.tx, scope.run.id)).map((gate) => gate.boundary.replace(/^brief:/, ''))
  const waiting = new Set([...asked.map((question) => question.briefId), ...held])
  for (const brief of await listFailedBriefs(scope.tx, scope.run.id))
    if (!waiting.has(brief.id)) await askAboutBrief(scope, brief, brief.failure ?? 'it failed', 'crash')
}

/** Withdraws the questions of an ended run or brief. */
export const withdrawQuestions = (scope: RunScope, briefId?: string): Promise<void> =>
  withdraw(scope, (question) => briefId === undefined || question.briefId === briefId)

/** Withdraws one question that something else has answered. */
export const withdrawQuestion = (scope: RunScope, questionId: string): Promise<void> =>
  withdraw(scope, (question) => question.id === questionId)

/** Withdraws a question and those that the same report asked with it. */
export async function withdrawSet(scope: RunScope, questionId: string): Promise<void> {
  const attemptId = (await findQuestion(scope.tx, questionId))?.attemptId ?? null
  await withdraw(scope, ({ id, attemptId: other }) => id === questionId || (other !== null && other === attemptId))
}

/** Withdraws the questions whether to resume, because the run continues. */
export const withdrawPauseQuestions = (scope: RunScope): Promise<void> =>
  withdraw(scope, (question) => question.class === 'gate' || isAboutClaim(question))

/** The author of a question about a run that could not be claimed. */
export const claimAuthor = 'engine:claim'

export const isAboutClaim = ({ askedBy }: Pick<Question, 'askedBy'>): boolean => askedBy === claimAuthor

async function withdraw(scope: RunScope, isOver: (question: Question) => boolean): Promise<void> {
  if (scope.run.questionsOpen === 0) return
  for (const question of await listWaitingOfRun(scope.tx, scope.run.id)) {
    if (!isOver(question)) continue
    if (question.class === 'checks') await releaseOthers(scope, question)
    await touchRun(
      scope,
      { questionsOpen: scope.run.questionsOpen - 1 },
      {
        kind: 'question_withdrawn',
        briefId: question.briefId,
        message: `withdrawn: ${shorten(question.text, 200)}`,
        data: { question_id: question.id },
      },
      [updated(questions, question, { status: 'withdrawn', answeredAt: scope.tx.at })],
    )
    await dropResolveBrief(scope, question, 'its question is withdrawn')
  }
}

/** Releases work of other runs that waits for the same answer: it is checked again, and asks again if necessary. */
async function releaseOthers(scope: RunScope, { askedBy }: Question): Promise<void> {
  // No other run begins to wait for the question until it is withdrawn.
  await scope.tx.lock('system')
  await scope.later(scope.tx, { kind: 'release_checks', repository: repositoryOf(askedBy) })
}

/** Pauses the run before it asks, so that nothing starts before the answer. */
export async function pauseAndAsk(scope: RunScope, text: string, context: string): Promise<void> {
  await keepPaused(scope, text)
  await askQuestion(scope, {
    brief: null,
    kind: 'failure',
    class: 'gate',
    text,
    context,
    options: [
      { key: 'resume', label: 'Continue', detail: 'The step is tried again with the last reason.' },
      { key: 'abandon', label: 'Give up', detail: 'The run fails.' },
    ],
    recommendation: null,
    risk: 'high',
  })
}
