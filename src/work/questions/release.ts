import { updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Decision } from '../../playbooks/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief, Guidance } from '../briefs/contract.ts'
import { endStatuses } from '../briefs/states.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { abandonBrief, resets, unblockBrief } from '../briefs/unblock.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Question, QuestionClass } from './contract.ts'
import { asksSeat } from './resolution.contract.ts'
import { isHeldForLook } from './loop.ts'
import { isStillAsked } from './still-asked.ts'

interface Answer {
  readonly key: string | null
  readonly answer: string
  readonly by: string
}

/** Lets the playbook decide the meaning of an answer, if it wants to; by default the brief continues with the answer. */
export async function followAnswer(scope: RunScope, question: Question, { key, answer, by }: Answer): Promise<void> {
  const brief = await findBrief(scope.tx, question.briefId as string)
  if (brief === undefined) throw bug(`question ${question.id} is about a brief that does not exist`)
  if (endStatuses.includes(brief.status) && (brief.status !== 'failed' || question.class === 'note')) return
  if (isPlaybooks(scope, question, brief))
    return scope.decide({ kind: 'question_answered', question, brief, key, answer, by })
  if (key === 'abandon') return abandonBrief(scope, brief, `abandoned by ${by}`)
  const guidance: Guidance[] =
    key === 'retry' ? brief.guidance : [...brief.guidance, { question: question.text, answer, by }]
  const patch = {
    ...(question.class === null ? {} : resets[question.class]),
    guidance,
    ...(key === 'allow' ? await allowedOf(scope, question, brief) : {}),
  }
  await goOn(scope, brief, patch, by)
}

/** Answers that use rights or money of the operator, or mend a fault of Agency, have a fixed effect. */
const fixed: ReadonlySet<QuestionClass> = new Set([
  'budget',
  'gate',
  'permission',
  'secret',
  'fault',
  'checks',
  'merge',
])

/** Reports whether the playbook decides the meaning of an answer. It does not know briefs that the engine has made. */
const isPlaybooks = ({ playbook }: RunScope, question: Question, brief: Brief): boolean =>
  (question.class === null || !fixed.has(question.class)) &&
  brief.kind !== 'verify' &&
  brief.repairs === null &&
  !asksSeat(brief) &&
  playbook.decidesAnswer?.(question) === true

/** Continues a brief for its playbook. If another question about it is open, it keeps the guidance and waits. */
export async function releaseBrief(
  scope: RunScope,
  { brief: stale, by, guidance, class: cause }: Extract<Decision, { kind: 'release_brief' }>,
): Promise<void> {
  const brief = await findBrief(scope.tx, stale.id)
  if (brief === undefined || (endStatuses.includes(brief.status) && brief.status !== 'failed')) return
  const patch = {
    ...(cause === undefined || cause === null ? {} : resets[cause]),
    guidance: guidance === null ? brief.guidance : [...brief.guidance, guidance],
  }
  await goOn(scope, brief, patch, by)
}

async function goOn(
  scope: RunScope,
  brief: Brief,
  patch: Partial<Brief> & Pick<Brief, 'guidance'>,
  by: string,
): Promise<void> {
  // A running agent finds the answer in its note; the next one receives it in its prompt.
  if (brief.status !== 'blocked' && brief.status !== 'failed') {
    await touchRun(
      scope,
      {},
      { kind: 'log', message: `${brief.key} receives the answer at its next start`, briefId: brief.id },
      [updated(briefs, brief, { guidance: patch.guidance })],
    )
    return
  }
  if (brief.status === 'blocked' && (await isStillAsked(scope, brief))) {
    await touchRun(scope, {}, { kind: 'log', message: `${brief.key} waits for more answers`, briefId: brief.id }, [
      updated(briefs, brief, patch),
    ])
    return
  }
  if (await isHeldForLook(scope, brief)) {
    const message = `${brief.key} has its answer and waits for the approval of its gate`
    await touchRun(scope, {}, { kind: 'log', message, briefId: brief.id }, [updated(briefs, brief, patch)])
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
