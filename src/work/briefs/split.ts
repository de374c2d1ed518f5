import { type Change, inserted, record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { quotation } from '../../kernel/quotation.ts'
import { shorten } from '../../kernel/text.ts'
import type { Attempt, Report } from '../attempts/contract.ts'
import type { Brief } from './contract.ts'
import { briefs, dependencies, findBrief, listDependents } from './store.ts'
import { describeEvidence, type Evidence } from '../evidence/contract.ts'
import { ownBudgetOf } from '../budgets/limits.ts'
import { findBudgetRow } from '../budgets/store.ts'
import { runs } from '../runs/store.ts'
import { newBrief } from './create.ts'
import type { RunScope } from '../scope.ts'
import type { CheckResult, Finding } from '../evidence/record.ts'

/**
 * Splits the remainder of a brief into a brief of its own, in the same directory and with the same retry budget. It
 * starts when the kept part has passed, so that two agents never work in one directory; dependents wait for both.
 */
export async function splitBrief(
  scope: RunScope,
  brief: Brief,
  report: Report,
  { findings }: CheckResult,
  { budgeted }: Pick<Attempt, 'budgeted'>,
): Promise<Partial<Brief>> {
  const { run, tx } = scope
  const left = report.remaining ?? report.summary
  const used = brief.retriesUsed + 1
  const failed = findings.filter((finding) => !finding.passed)
  const rest = newBrief(scope, {
    id: scope.ids.next('brief'),
    // No plan can name a key with a colon; the number is that of the attempt that left the remainder.
    key: `${brief.key}:rest:${brief.attempts}`,
    number: brief.number,
    title: shorten(`Rest of ${brief.title}`, 120),
    // Its maker may not choose the task by which the rest is done and judged.
    objective: brief.objective,
    context: [
      brief.context,
      'A part of this is done already, and its files are in your directory. Finish all of it.',
      quotation('The maker of that part says that this is done', report.summary),
      quotation('and that this is left', left),
    ]
      .filter(Boolean)
      .join('\n\n'),
    // Evidence that holds already must still hold beside the rest, in whose directory it lies.
    evidence: findings.map(evidenceOfRest),
    corrections: failed.map(({ evidence, detail }) => ({ evidence: describeEvidence(evidence), detail })),
    checkable: brief.checkable,
    verify: brief.verify,
    verifyFixed: brief.verifyFixed,
    personaId: brief.personaId,
    positionId: brief.positionId,
    dispatch: brief.dispatch,
    verifierId: brief.verifierId,
    runtime: brief.runtime,
    provider: brief.provider,
    runtimeOptions: brief.runtimeOptions,
    unmetDependencies: 1,
    crashLimit: brief.crashLimit,
    retriesUsed: used,
    retryBudget: brief.retryBudget,
    verificationLimit: brief.verificationLimit,
    guidance: brief.guidance,
    allowed: brief.allowed,
    remainderOf: brief.remainderOf ?? brief.id,
    repairs: brief.repairs,
    phase: brief.phase,
    part: brief.part,
    ownerId: brief.ownerId,
    inputs: brief.inputs,
    receives: brief.receives,
    capKey: brief.capKey,
    groupKey: brief.groupKey,
    data: brief.data,
    ...scope.playbook.derive?.(brief, 'remainder'),
  })
  const counters = { briefsTotal: run.briefsTotal + 1, briefsOpen: run.briefsOpen + 1, updatedAt: tx.at }
  const also = await alsoAfter(scope, brief, rest)
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: rest.id,
      code: 'PARTIAL',
      message: `${rest.key}: ${shorten(left, 300)} (retry ${used}/${brief.retryBudget})`,
      data: { to: 'pending', remainder_of: brief.id, class: 'partial_output', used, limit: brief.retryBudget },
    },
    [
      inserted(briefs, rest),
      ...(budgeted ? await budgetOfRest(scope, brief, rest) : []),
      inserted(dependencies, { runId: run.id, briefId: rest.id, afterId: brief.id, met: false }),
      updated(runs, run, counters),
      ...also,
    ],
  )
  scope.run = { ...run, ...counters }
  return {
    retriesUsed: used,
    evidence: findings.filter((finding) => finding.passed).map((finding) => finding.evidence),
    context: [brief.context, partOf(rest), quotation('Its maker says that this is left', left)]
      .filter(Boolean)
      .join('\n\n'),
    corrections: [],
  }
}

/** Matches the remark in the context of a kept part. */
export const partRemark = /^Only a part of it belongs here\. The rest is (\S+)\.$/m

const partOf = ({ key }: Brief): string => `Only a part of it belongs here. The rest is ${key}.`

/** The rest may use what its brief has left. */
async function budgetOfRest({ tx }: RunScope, brief: Brief, rest: Brief): Promise<Change[]> {
  const budget = await findBudgetRow(tx, 'brief', brief.id)
  if (budget === undefined) return []
  const left = (limit: number | null, spent: number): number | null =>
    limit === null ? null : Math.max(1, limit - spent)
  return ownBudgetOf(rest, {
    tokenLimit: left(budget.tokenLimit, budget.tokensSpent),
    costLimitMicros: left(budget.costLimitMicros, budget.microsSpent),
  })
}

/** An output that the kept part has reported must still exist; only its own report had to name it. */
const evidenceOfRest = ({ evidence, passed }: Finding): Evidence =>
  passed && evidence.kind === 'artifact' && evidence.path !== undefined
    ? { kind: 'file', path: evidence.path, minBytes: 0 }
    : evidence

/** Makes dependents that have not started wait for the remainder too; the others have the work they waited for. */
async function alsoAfter(scope: RunScope, brief: Brief, rest: Brief): Promise<Change[]> {
  const changes: Change[] = []
  for (const { briefId } of await listDependents(scope.tx, brief.id)) {
    const waiting = await findBrief(scope.tx, briefId)
    if (waiting === undefined) throw bug(`dependency of a missing brief: ${briefId}`)
    if (waiting.status !== 'pending') continue
    changes.push(
      inserted(dependencies, { runId: rest.runId, briefId, afterId: rest.id, met: false }),
      updated(briefs, waiting, { unmetDependencies: waiting.unmetDependencies + 1 }),
    )
  }
  return changes
}

/**
 * Returns the number of this attempt across all briefs of the same work: the first attempt of `main:rest:2` is the
 * third.
 */
export function turnOf({ key, verifiesAttempt }: Brief, fence: number): number {
  const before = [...key.matchAll(/:rest:(\d+)/g)].reduce((sum, match) => sum + Number(match[1]), 0)
  return before + fence + (verifiesAttempt ?? 1) - 1
}
