import { refusal } from '../../kernel/errors.ts'
import { listHeldAttemptsOfRun } from '../attempts/store.ts'
import type { ReadTx } from '../../db/port.ts'
import { findBrief } from '../briefs/store.ts'
import { abandonBrief, unblockBrief } from '../briefs/unblock.ts'
import type { Question } from '../questions/contract.ts'
import { listQuestionsOfBrief } from '../questions/store.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { agentOption, setupOption } from './ask.ts'
import { SetupCommand } from './contract.ts'
import { saveRepositorySettings } from './moves.ts'
import { storedSetup } from './resolve.ts'
import { checksHold, findRepositorySettings, repositoryOf } from './store.ts'

/** Refuses an answer that can be no command, before it is recorded. */
export function checkAnswer(question: Question, key: string | null, answer: string): void {
  if (key === setupOption)
    throw refusal('invalid_input', 'the setup command is missing', {
      hint: `Answer with the command itself: agency answer ${question.id} "<command>"`,
    })
  if (key !== null) return
  const parsed = SetupCommand.safeParse(answer)
  if (!parsed.success)
    throw refusal('invalid_input', `the setup command ${parsed.error.issues[0]?.message ?? 'is not valid'}`)
  storedSetup(parsed.data)
}

/**
 * Remembers the answer for the repository and continues the work that waits for it: in this run at once, in other runs
 * by a job of the same transaction.
 */
export async function continueAfterChecks(
  scope: RunScope,
  question: Question,
  key: string | null,
  answer: string,
  by: string,
): Promise<void> {
  const { tx } = scope
  const repository = repositoryOf(question.askedBy)
  await scope.later(tx, { kind: 'release_checks', repository })
  if (key === 'abandon') return abandonHeld(scope, repository, by)
  if (key === 'workspace') await saveRepositorySettings(tx, repository, { checks: 'workspace' }, by)
  if (key === null) await saveRepositorySettings(tx, repository, { checks: 'checkout', setup: storedSetup(answer) }, by)
  await releaseChecks(scope, repository, `answered by ${by}`)
}

/** Reports whether the operator has decided that checks of this brief fail because of its work. */
export async function isLeftToAgent(tx: ReadTx, briefId: string): Promise<boolean> {
  const asked = await listQuestionsOfBrief(tx, briefId)
  return asked.some(
    ({ class: cause, answer, options }) =>
      cause === 'checks' &&
      options.some(({ key, label }) => key === agentOption && (answer === key || answer === label)),
  )
}

/** Lets the work of a run that waits for the checks of a repository be checked again; no agent is launched. */
export async function releaseChecks(scope: RunScope, repository: string, why: string): Promise<void> {
  const { tx } = scope
  const held = await listHeldAttemptsOfRun(tx, scope.run.id, checksHold(repository))
  const settings = await findRepositorySettings(tx, repository)
  for (const { briefId } of held) {
    const brief = await findBrief(tx, briefId)
    if (brief?.status !== 'blocked' || scope.run.endedAt !== null) continue
    if (settings !== undefined && settings.updatedAt >= brief.updatedAt) await replaceSetup(scope, settings.setup)
    await unblockBrief(scope, brief, {}, why)
  }
}

/** The setup that a run began with comes before that of its repository, except for one that was set because it failed. */
async function replaceSetup(scope: RunScope, setup: string | null): Promise<void> {
  const { configuration } = scope.run
  if (configuration.setup === undefined || configuration.setup === setup) return
  await touchRun(
    scope,
    { configuration: { ...configuration, setup } },
    { kind: 'log', level: 'normal', message: `fresh checkouts are set up by ${setup ?? 'their lockfile'} from now on` },
  )
}

async function abandonHeld(scope: RunScope, repository: string, by: string): Promise<void> {
  for (const { briefId } of await listHeldAttemptsOfRun(scope.tx, scope.run.id, checksHold(repository))) {
    const brief = await findBrief(scope.tx, briefId)
    if (brief?.status === 'blocked' && scope.run.endedAt === null)
      await abandonBrief(scope, brief, `abandoned by ${by}`)
  }
}
