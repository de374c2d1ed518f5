import type { NewGate } from '../gates/open.ts'
import { askQuestion } from '../questions/ask.ts'
import type { QuestionClass, QuestionOption } from '../questions/contract.ts'
import { endRun } from '../runs/end.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import type { Proof } from './contract.ts'
import { askerOf } from './follow-up.ts'
import { holdIn } from './start.ts'
import { listProofs } from './store.ts'

const choices = {
  retry: { key: 'retry', label: 'Check again', detail: 'All evidence is checked on the merged result once more.' },
  repair: {
    key: 'repair',
    label: 'Try another repair',
    detail: 'One more brief mends the merged result. A free-text answer starts it too and is passed on as guidance.',
  },
  open: {
    key: 'open',
    label: 'Open the gate anyway',
    detail: 'You decide about the merge although the evidence does not hold; the gate shows it.',
  },
  abandon: { key: 'abandon', label: 'Give up', detail: 'The run fails; nothing is merged.' },
} satisfies Record<string, QuestionOption>

/** Asks the operator about a result that is not proven. With `on_limit: fail` the run fails instead. */
export async function askAboutProof(
  scope: RunScope,
  proof: Proof,
  reason: string,
  cause: Extract<QuestionClass, 'merge' | 'fault'>,
): Promise<void> {
  if (scope.run.configuration.onLimit === 'fail') return endRun(scope, 'failed', reason)
  const question = await askQuestion(scope, {
    brief: null,
    kind: cause === 'merge' ? 'conflict' : 'technical',
    class: cause,
    text: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    context: contextOf(proof),
    options: [...(cause === 'fault' ? [choices.retry] : []), choices.repair, choices.open, choices.abandon],
    recommendation: cause === 'fault' ? 'retry' : 'repair',
    risk: 'high',
    askedBy: askerOf(proof),
  })
  await touchRun(scope, holdIn(scope.run, `question:${question.id}`), {
    kind: 'log',
    message: 'the result waits for an answer',
  })
}

const contextOf = ({ findings }: Proof): string =>
  findings
    .filter(({ passed }) => !passed)
    .slice(0, 10)
    .map(({ detail, output }) => [detail, output].filter(Boolean).join('\n'))
    .join('\n\n')

/** Returns the gate that the playbook asked for last; a result that was approved before has one too. */
export async function gateOf({ tx, run }: RunScope): Promise<NewGate> {
  const asked = (await listProofs(tx, run.id)).findLast(({ gate }) => gate !== null)?.gate
  return asked === undefined || asked === null
    ? {
        gate: 'merge',
        summary: {
          produced: `The result is ready; see "agency pr show ${run.id}".`,
          next: `Approve to merge the result into ${run.repository?.branch}.`,
          anomalies: [],
        },
      }
    : (asked as unknown as NewGate)
}
