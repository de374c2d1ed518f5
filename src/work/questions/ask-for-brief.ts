import type { Wording } from '../../playbooks/contract.ts'
import { asksOf } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import type { RunScope } from '../scope.ts'
import { askAboutBrief, askAboutBudget, type Asked } from './ask.ts'
import type { QuestionClass, Rung } from './contract.ts'

/** The fields that a playbook sets; without them, the question has the defaults of its class. */
export interface Manner {
  readonly wording?: Wording
  readonly ladder?: readonly Rung[]
}

/**
 * Asks about a brief: the questions of its agent with their texts and options, if it asked any, otherwise one about the
 * reason. The wording of a playbook goes before both. Questions about budgets are always the same.
 */
export async function askForBrief(
  scope: RunScope,
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  { wording = {}, ladder }: Manner = {},
): Promise<void> {
  if (cause === 'budget') return askAboutBudget(scope, brief)
  const own = wording.text === undefined && cause === 'asked' ? await asksOfAgent(scope, brief) : []
  const climbing = ladder === undefined ? {} : { ladder }
  const asked = (own.length === 0 ? [{}] : own).map((ask): Asked => ({ ...ask, ...wording, ...climbing }))
  await askAboutBrief(scope, brief, reason, cause, asked)
}

async function asksOfAgent({ tx }: RunScope, { attemptId }: Brief): Promise<Asked[]> {
  const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId)
  if (attempt === undefined || attempt.report === null) return []
  return asksOf(attempt.report).map((ask) => ({ ...ask, attemptId: attempt.id }))
}
