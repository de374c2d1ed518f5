import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction, Guidance } from '../briefs/contract.ts'
import { nameOf } from '../briefs/moves.ts'
import { findResult } from '../results/results.ts'
import type { RunScope } from '../scope.ts'
import type { Question } from './contract.ts'
import { isOperators } from './resolution.contract.ts'

/** Maximum number of corrections, which are those of the last attempt, and of decisions, of which the newest count. */
const most = 20

/**
 * Returns everything that a seat needs to decide about a question: the question, its way so far, and the brief that is
 * stuck with its newest result. The options that end the run or allow an operation stay with the operator.
 */
export async function seatInputs(
  scope: RunScope,
  { id, text, context, kind, risk, options, recommendation, askedBy, hops }: Question,
  stuck: Brief | undefined,
  reason: string | undefined,
): Promise<Brief['inputs']> {
  return {
    question: {
      id,
      asked_by: askedBy,
      kind,
      risk,
      text,
      context,
      options: options.filter(({ key }) => !isOperators(key)),
      recommendation: recommendation === null || isOperators(recommendation) ? null : recommendation,
    },
    ...(hops.length === 0 ? {} : { way_so_far: hops.map(({ from, to, skipped }) => ({ from, to, skipped })) }),
    ...(reason === undefined ? {} : { handed_up_because: shorten(reason, 5_000) }),
    ...(stuck === undefined ? {} : { brief: await stuckBrief(scope, stuck) }),
  }
}

async function stuckBrief(scope: RunScope, stuck: Brief): Promise<Record<string, unknown>> {
  const result = await findResult(scope.tx, scope.run.id, stuck.id)
  const { summary = null, outputs = [], missing_outputs: missing, evidence = [], verdict = null } = result ?? {}
  return {
    key: stuck.key,
    name: nameOf(scope, stuck),
    title: stuck.title,
    objective: shorten(stuck.objective, 5_000),
    context: shorten(stuck.context, 5_000),
    status: stuck.status,
    attempts: stuck.attempts,
    retries: `${stuck.retriesUsed} of ${stuck.retryBudget}`,
    failure: stuck.failure === null ? null : shorten(stuck.failure, 2_000),
    last_attempt: {
      summary,
      outputs,
      ...(missing === undefined ? {} : { missing_outputs: missing }),
      evidence,
      verdict,
    },
    corrections: stuck.corrections.slice(0, most).map(correctionOf),
    ...moreThan(stuck.corrections, 'more_corrections'),
    decisions: stuck.guidance.slice(-most).map(decisionOf),
    ...moreThan(stuck.guidance, 'more_decisions'),
  }
}

const correctionOf = ({ evidence, detail, output }: Correction): Correction => ({
  evidence: shorten(evidence, 300),
  detail: shorten(detail, 1_000),
  // A command says last why it failed.
  ...(output === undefined ? {} : { output: output.slice(-1_000) }),
})

const decisionOf = ({ question, answer, by }: Guidance): Guidance => ({
  question: shorten(question, 1_000),
  answer: shorten(answer, 1_000),
  by,
})

const moreThan = (items: readonly unknown[], name: string): Record<string, number> =>
  items.length > most ? { [name]: items.length - most } : {}
