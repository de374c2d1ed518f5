import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'
import type { Attempt } from '../attempts/contract.ts'
import { holdAttempt, releaseAttempt } from '../attempts/hold.ts'
import type { Brief } from '../briefs/contract.ts'
import { failBrief, moveBrief, nameOf } from '../briefs/moves.ts'
import { isGivenUp } from '../briefs/unblock.ts'
import { askQuestion } from '../questions/ask.ts'
import type { QuestionOption } from '../questions/contract.ts'
import { choices } from '../questions/options.ts'
import type { RunScope } from '../scope.ts'
import { type Checks, resolveChecks } from './resolve.ts'
import { checksHold, findRepositorySettings, findWaitingQuestion } from './store.ts'

/** The reason why no fresh checkout of a repository can be checked. */
export interface CheckTrouble {
  readonly repository: string
  /** `npm ci` fails on main as well */
  readonly what: string
  /** E401 */
  readonly detail: string
  /** How the work was checked. */
  readonly checks: Checks
  /** A command of config.yaml, outside any box, cannot run. */
  readonly isOnHost?: boolean
}

/**
 * Holds finished work that cannot be checked in a fresh checkout of its repository, which is not the agent's fault. One
 * question is asked for the repository; further work on it, also of other runs, waits for the same answer.
 */
export async function holdForChecks(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  trouble: CheckTrouble,
): Promise<void> {
  const { tx, run } = scope
  const reason = textOf(trouble)
  if (run.configuration.onLimit === 'fail' || (await isGivenUp(scope, brief))) {
    await endLiveAttemptOf(scope, brief, shorten(reason, 500))
    return failBrief(scope, brief, reason)
  }
  // Of two runs that meet the same trouble at once, one asks.
  await tx.lock('system')
  if (await isOutdated(scope, trouble))
    return releaseAttempt(scope, attempt, 'the settings of its repository have changed')
  const heldBy = checksHold(trouble.repository)
  const waiting = await findWaitingQuestion(tx, trouble.repository)
  const question =
    waiting ??
    (await askQuestion(scope, {
      brief,
      kind: 'technical',
      class: 'checks',
      text: reason,
      ...(trouble.isOnHost === true ? aboutHost(trouble) : aboutCheckouts(trouble)),
      risk: 'medium',
      askedBy: heldBy,
    }))
  await holdAttempt(scope, attempt, heldBy)
  await moveBrief(scope, brief, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${nameOf(scope, brief)} is blocked: ${shorten(reason, 500)}`,
    data: { class: 'checks', question_id: question.id },
    hold: { kind: 'checks', subject: trouble.repository },
  })
}

const aboutCheckouts = ({ repository }: CheckTrouble) => ({
  context: `All work on ${repository} waits for the answer, which is remembered for it.`,
  options,
  recommendation: setupOption,
})

/** The commands of config.yaml, and their setup, are changed there only. */
const aboutHost = ({ repository }: CheckTrouble) => ({
  context: `All work on ${repository} that cannot be checked waits for the answer.`,
  options: options.filter(({ key }) => key !== setupOption && key !== 'workspace'),
  recommendation: 'retry',
})

const textOf = ({ what, detail, isOnHost = false }: CheckTrouble): string => {
  const why = redact(detail.trim())
  const where = isOnHost ? 'on the host' : 'in a fresh checkout'
  return `The check cannot run ${where}: ${shorten(redact(what), 500)}${why === '' ? '' : ` (${shorten(why, 500)})`}.`
}

/** The operator may have changed the settings while the work was checked with the old ones. */
async function isOutdated({ tx, run }: RunScope, { repository, checks }: CheckTrouble): Promise<boolean> {
  const now = resolveChecks(run, await findRepositorySettings(tx, repository), checks.host)
  return now.place !== checks.place || now.setup !== checks.setup || now.paths.join('\n') !== checks.paths.join('\n')
}

/** The option that stands for an answer in the operator's own words. */
export const setupOption = 'setup'

/** The option that holds the failure against the work after all. */
export const agentOption = 'agent'

const options: QuestionOption[] = [
  {
    key: setupOption,
    label: 'Give a setup command',
    detail: 'Answer with the command itself. It makes a fresh checkout runnable, and is remembered for the repository.',
  },
  {
    key: 'workspace',
    label: 'Check in the agent’s workspace',
    detail:
      'Untracked files may help there: every screen says so, and nothing is merged without a person. It is remembered for the repository.',
  },
  { key: 'retry', label: 'Check again', detail: 'Nothing changes, for example after a registry was down.' },
  {
    key: agentOption,
    label: 'Send it back to the agent',
    detail: 'The check can run, and the work is wrong: the agent gets the failure as a correction.',
  },
  { ...choices.abandon, detail: 'The brief fails, and the run with it. Other runs that wait ask again.' },
]
