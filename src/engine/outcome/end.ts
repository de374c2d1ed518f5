import { counted } from '../../kernel/amounts.ts'
import type { AgentEnded, Denied, Limited } from '../../adapters/runtime/port.ts'
import { endedAgent } from '../../work/agents/store.ts'
import { type Change, record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { endOfOutput, shorten } from '../../kernel/text.ts'
import type { Seen } from '../../playbooks/contract.ts'
import { type Attempt, type CheckedIn, hasAsked, type Report } from '../../work/attempts/contract.ts'
import { attempts } from '../../work/attempts/store.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import { describeEvidence, type Odd } from '../../work/evidence/contract.ts'
import type { QuestionClass } from '../../work/questions/contract.ts'
import { findBrief } from '../../work/briefs/store.ts'
import { noteName } from '../../work/notes/contract.ts'
import { listUnsettledNotes } from '../../work/notes/store.ts'
import type { Judgement } from '../../work/verdicts/contract.ts'
import { requiresOf } from '../../work/briefs/dependents.ts'
import { giveBack } from '../../work/budgets/moves.ts'
import type { Classified } from '../attempt/classify.ts'
import { releaseDependents } from '../../work/briefs/dependents.ts'
import { budgetHold } from '../../work/briefs/holds.ts'
import { type CheckResult, type Finding, recordChecks } from '../../work/evidence/record.ts'
import { block, retryCrash, retryInterrupted, retryWith } from '../../work/briefs/retry.ts'
import { describeUse, isUsedUp, type Refused } from '../../work/budgets/arithmetic.ts'
import { findBudgetRow } from '../../work/budgets/store.ts'
import { handNotes } from '../../work/notes/hand-over.ts'
import { recordReportedNotes } from '../../work/notes/record-report.ts'
import { reviewNotes } from '../../work/notes/review.ts'
import { holdProvider } from '../../work/stops/provider-holds.ts'
import { splitBrief } from '../../work/briefs/split.ts'
import type { RunScope } from '../../work/scope.ts'
import { checkStep } from './steps.ts'
import { findingSeen, recordVerdict } from '../../work/verdicts/moves.ts'
import { isWaitingFor } from '../../work/verdicts/subject.ts'
import { blockBrief, eventTags, failBrief, moveBrief } from '../../work/briefs/moves.ts'
import { isGivenUp } from '../../work/briefs/unblock.ts'

export interface AttemptEnd {
  classified: Classified
  /** Null if the agent did not finish, so that there was nothing to examine. */
  examination: CheckResult | null
  /** The reason of an interruption. */
  reason?: string
  /** The limit that interrupted the attempt, if one did. */
  refused?: Refused | null
  /** Set if its provider accepts no more calls for now. */
  limited?: Limited | null
  /** The end of its process. */
  ended?: AgentEnded | undefined
  /** The commit that was collected from its work in a repository. */
  commit?: string | null
  isEmpty?: boolean
  /** Operations that the operator would have to allow; with `blocked`, the question is about them. */
  denied?: readonly Denied[]
  /** The faults in the output of a step. */
  faults?: readonly Correction[]
  cause?: QuestionClass
  /** The place where its evidence was checked. */
  checkedIn?: CheckedIn | null
  /** Its changes that may weaken a proof. */
  odd?: readonly Odd[]
  /** Why its evidence does not replace a verifier; null: it does, if the brief has evidence. */
  needsVerifier?: string | null
}

/**
 * Records all consequences of an attempt's end in one transaction: outcome, evidence, limits, and the playbook's
 * decision.
 */
export async function endAttempt(scope: RunScope, brief: Brief, attempt: Attempt, ended: AttemptEnd): Promise<void> {
  const { classified: checked, faults } = await checkStep(scope, brief, ended.classified)
  const end = { ...ended, classified: checked, faults: [...(ended.faults ?? []), ...faults] }
  const failed = end.examination?.findings.filter((finding) => !finding.passed) ?? []
  const classified: Classified =
    end.classified.outcome === 'ok' && failed.length > 0
      ? {
          ...end.classified,
          outcome: 'bad_output',
          detail: `evidence ${end.examination!.findings.length - failed.length}/${end.examination!.findings.length}: ${failureText(failed[0]!)}`,
        }
      : end.classified
  await recordTurn(scope, brief, attempt, classified, end)
  // A limit that did not keep the agent from finishing does not hold the provider.
  if (end.limited && classified.outcome === 'interrupted') await holdProvider(scope, brief, end.limited)
  if (await isOutdated(scope, brief)) await dropVerifier(scope, brief)
  else if (await isGivenUp(scope, brief)) await failBrief(scope, brief, 'abandoned by the operator')
  else
    await follow(
      scope,
      brief,
      { ...attempt, checkedIn: end.checkedIn ?? null, odd: [...(end.odd ?? [])] },
      classified,
      end,
    )
  await surfaceFailures(scope)
}

/**
 * Lets the playbook surface the failure of a sibling, which waits until no attempt is under way: this one has ended or
 * waits for an answer now.
 */
export async function surfaceFailures(scope: RunScope): Promise<void> {
  if (scope.run.briefsFailed > 0 && scope.run.endedAt === null) await scope.decide({ kind: 'siblings_ended' })
}

async function follow(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  classified: Classified,
  end: AttemptEnd,
): Promise<void> {
  const refused = end.refused?.isReserved === true ? null : (end.refused ?? null)
  // Another attempt would be refused before its first call.
  const usedUp = refused ?? (await refusedByOwnLimit(scope, attempt))
  switch (usedUp !== null && isTriedAgain(classified.outcome) ? 'budget' : classified.outcome) {
    case 'ok':
      if (brief.kind === 'verify') {
        if (end.examination !== null) await recordChecks(scope, attempt, brief, end.examination)
        await judge(scope, brief, attempt, classified.report?.verdict)
      } else await finish(scope, brief, attempt, classified.report as Report, end)
      break
    case 'partial_output':
      if (end.examination?.findings.some((finding) => finding.passed))
        await finish(scope, brief, attempt, classified.report as Report, end)
      // No evidence passed, so there is no part to keep.
      else await correct(scope, brief, attempt, classified, end.examination)
      break
    case 'bad_output':
      await correct(scope, brief, attempt, classified, end.examination, end.faults)
      break
    case 'crash':
    case 'timeout':
      await retryCrash(scope, brief, classified)
      break
    case 'interrupted':
      await retryInterrupted(scope, brief, end.reason ?? 'daemon_restart')
      break
    case 'blocked':
      if (end.cause === undefined) await stopAsking(scope, brief, attempt, classified)
      else await block(scope, brief, classified.detail, end.cause)
      break
    case 'budget':
      // Nothing is used up: it starts again when another agent returns its reservation.
      if (usedUp === null && end.refused?.isReserved === true) await retryInterrupted(scope, brief, 'budget_reserved')
      else
        await blockBrief(scope, brief, usedUp?.reason ?? classified.detail, 'budget', budgetHold(usedUp?.by ?? 'brief'))
      break
  }
}

/**
 * Blocks a brief with a question. If the agent asked none but escalated notes, the brief waits for their answers
 * instead.
 */
async function stopAsking(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  { report, detail }: Classified,
): Promise<void> {
  if (report !== null && brief.kind !== 'verify') await recordReportedNotes(scope, brief, attempt, report)
  const noted = hasAsked(report) ? [] : await listUnsettledNotes(scope.tx, brief.id)
  const escalated = noted.filter((note) => note.status === 'escalated')
  if (escalated.length > 0) await waitForAnswers(scope, brief, escalated.map(noteName))
  else {
    await block(scope, brief, detail, 'asked')
    await handNotes(scope, brief)
  }
}

async function recordTurn(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  classified: Classified,
  { ended, examination, denied = [], checkedIn = null, odd = [] }: AttemptEnd,
): Promise<void> {
  const { tx, run } = scope
  const outputs = examination?.outputs ?? []
  const changes: Change[] = [
    updated(attempts, attempt, {
      status: 'ended',
      outcome: classified.outcome,
      detail: classified.detail,
      endedAt: tx.at,
      ...(ended === undefined || ended.exitCode === null ? {} : { exitCode: ended.exitCode }),
      ...(ended?.used === undefined ? {} : { used: ended.used }),
      ...(outputs.length === 0 ? {} : { outputs: outputs.map(({ path, sha256 }) => ({ path, sha256 })) }),
      ...(denied.length === 0 ? {} : { denied: denied.slice(0, 100) }),
      ...(checkedIn === null ? {} : { checkedIn }),
      ...(odd.length === 0 ? {} : { odd: odd.slice(0, mostOdd) }),
      ...(classified.contradiction === undefined ? {} : { contradiction: classified.contradiction }),
      ...(classified.report === null || isSame(classified.report, attempt.report) ? {} : { report: classified.report }),
    }),
    // The agent of an attempt with a report has ended before its evidence was checked.
    ...(attempt.ending === null ? [endedAgent(attempt, tx.at), ...(await giveBack(scope, attempt))] : []),
  ]
  await record(
    tx,
    {
      kind: 'turn_ended',
      by: scope.by,
      runId: run.id,
      briefId: attempt.briefId,
      attemptId: attempt.id,
      ...eventTags(scope, brief),
      level: 'verbose',
      message: `attempt ${attempt.fence} ended: ${classified.outcome}, ${classified.detail}`,
      data: {
        outcome: classified.outcome,
        input_tokens: attempt.inputTokens,
        output_tokens: attempt.outputTokens,
        cost_micros: attempt.costMicros,
        simulated: attempt.simulated,
        ...(odd.length === 0 ? {} : { odd: odd.slice(0, mostOdd).map(({ text }) => text) }),
      },
    },
    changes,
  )
}

/** More lines than a person reads; changes of one sort share a line already. */
const mostOdd = 50

/** Returns the refusal by the brief's own limits, if it has any: then its attempt has reserved a part of them. */
async function refusedByOwnLimit({ tx }: RunScope, { briefId, budgeted }: Attempt): Promise<Refused | null> {
  const budget = budgeted ? await findBudgetRow(tx, 'brief', briefId) : undefined
  return budget === undefined || !isUsedUp(budget) ? null : { by: 'brief', reason: describeUse(budget) }
}

const isTriedAgain = (outcome: Classified['outcome']): boolean => outcome !== 'ok' && outcome !== 'blocked'

/** A report through the API is in the row already; one through the runtime is not. */
const isSame = (a: Report, b: Report | null): boolean => b !== null && JSON.stringify(a) === JSON.stringify(b)

async function finish(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  report: Report,
  { examination, commit = null, isEmpty = false, needsVerifier = null }: AttemptEnd,
): Promise<void> {
  if (examination === null) throw bug(`${brief.id} is finished without a check of its evidence`)
  const hasNotes = scope.run.notesTotal > 0 || (report.assumptions ?? []).length + (report.notes ?? []).length > 0
  const reviewing = hasNotes
    ? await moveBrief(scope, brief, 'completion_drive_review', {
        kind: 'review_started',
        level: 'verbose',
        message: `${brief.key} is reviewed`,
        patch: { interruptions: 0 },
      })
    : brief
  await recordChecks(scope, attempt, brief, examination)
  const { escalated, open } = await reviewNotes(scope, reviewing, attempt, report)
  if (escalated.length > 0) return waitForAnswers(scope, reviewing, escalated.map(noteName))
  if (open.length > 0) {
    const corrections = open.map((note) => ({
      evidence: noteName(note),
      detail: `settle it before you report: ${shorten(note.description, 300)}`,
    }))
    return retryWith(scope, reviewing, 'bad_output', `${counted(open.length, 'open note')}`, corrections)
  }
  const isPart = report.status === 'partial'
  if (isPart && brief.retriesUsed >= brief.retryBudget) {
    const detail = `only a part was done, after ${brief.retriesUsed} of ${brief.retryBudget} retries`
    return block(scope, reviewing, `${detail}: ${shorten(report.remaining ?? report.summary, 300)}`, 'bad_output')
  }
  const ready = await moveBrief(scope, reviewing, 'ready_for_verification', {
    kind: 'ready_for_verification',
    level: 'verbose',
    message: `${brief.key} is ready to be verified${isPart ? ', as far as it goes' : ''}${needsVerifier === null ? '' : `: ${needsVerifier}, so a verifier judges it`}`,
    ...(needsVerifier === null ? {} : { data: { needs_verifier: needsVerifier } }),
    through: hasNotes ? [] : ['completion_drive_review'],
    patch: {
      interruptions: 0,
      ...(needsVerifier === null ? {} : { verify: 'agent', checkable: false }),
      ...(commit === null && !isEmpty ? {} : { branchCommit: commit }),
      ...(isPart ? await splitBrief(scope, reviewing, report, examination, attempt) : {}),
    },
    also: await releaseFinished(scope, reviewing),
  })
  const findings = examination.findings.filter((finding) => finding.passed)
  await scope.decide({ kind: 'brief_ready', brief: ready, seen: seenOf(report, { ...examination, findings }) })
}

/** Releases the dependents of a finished brief in a pipeline before its verdict, which may still send it back. */
const releaseFinished = async (scope: RunScope, brief: Brief): Promise<Change[]> =>
  brief.kind === 'work' && brief.repairs === null && requiresOf(scope) === 'completed'
    ? releaseDependents(scope, brief)
    : []

const seenOf = (report: Report, { findings, outputs }: CheckResult): Seen => ({
  report,
  findings: findings.map(findingSeen),
  outputs,
})

/** Blocks a brief without a new question: each note has one already, or is handed to the playbook. */
async function waitForAnswers(scope: RunScope, brief: Brief, names: readonly string[]): Promise<void> {
  await moveBrief(scope, brief, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${brief.key} waits for answers: ${names.join(', ')}`,
    data: { class: 'note' },
  })
  await handNotes(scope, brief)
}

/** Closes a verifier's own brief at once; its verdict decides about the judged brief. */
async function judge(scope: RunScope, brief: Brief, attempt: Attempt, judgement: Judgement | undefined): Promise<void> {
  if (judgement === undefined) throw bug(`${brief.id} was passed without a verdict`)
  const judged = await recordVerdict(scope, brief, attempt, judgement)
  if (judged === null) return dropVerifier(scope, brief)
  await moveBrief(scope, brief, 'done', {
    kind: 'session_complete',
    level: 'verbose',
    message: `${brief.key} closed`,
    through: ['completion_drive_review', 'ready_for_verification', 'verified'],
  })
  await scope.decide({ kind: 'brief_judged', brief: judged, judgement })
}

/** Reports whether the judged brief was cancelled or has changed since: then its verifier has no further attempt. */
async function isOutdated(scope: RunScope, brief: Brief): Promise<boolean> {
  if (brief.verifies === null) return false
  const judged = await findBrief(scope.tx, brief.verifies)
  return judged === undefined || !isWaitingFor(judged, brief)
}

async function dropVerifier(scope: RunScope, brief: Brief): Promise<void> {
  const dropped = await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${brief.key}: its subject has changed`,
  })
  // If slices are judged together, the others may have waited only for this one.
  if (brief.part !== null) await scope.decide({ kind: 'brief_cancelled', brief: dropped, wasVerified: false })
}

/** Sends rejected output back with its faults, as often as the brief's retry budget allows. */
async function correct(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  classified: Classified,
  examination: CheckResult | null,
  faults: readonly Correction[] = [],
): Promise<void> {
  if (examination !== null) await recordChecks(scope, attempt, brief, examination)
  const failed = (examination?.findings ?? []).filter((finding) => !finding.passed)
  const corrections: Correction[] = [
    ...faults,
    ...failed.map((finding, index) => ({
      evidence: describeEvidence(finding.evidence),
      detail: finding.detail,
      ...(index < maxWithOutput ? outputOf(finding, examination?.further ?? []) : {}),
    })),
  ]
  if (corrections.length === 0)
    corrections.push({
      evidence: classified.outcome === 'partial_output' ? 'only a part was done' : 'the report',
      detail: classified.detail,
    })
  await retryWith(scope, brief, classified.outcome, classified.detail, corrections)
}

/** More failures have the same cause in most cases, and a prompt has to be read. */
const maxWithOutput = 5

/** Returns the end of the output of a failed check, where a program says why it failed. */
function outputOf(
  { item, kind, output }: Finding,
  further: readonly Finding[],
): Pick<Correction, 'output'> | Record<string, never> {
  if (kind !== 'command' && kind !== 'http' && kind !== 'schema') return {}
  // A command that failed only the second time has the output of its success first.
  const second = further.find((each) => each.item === item && each.round === 'again' && !each.passed)
  const end = endOfOutput(second?.output ?? output)
  return end === '' ? {} : { output: end }
}

/** A path is part of the detail of a finding; a command is not. */
const failureText = ({ evidence, detail }: CheckResult['findings'][number]): string =>
  evidence.kind === 'command' ? `$ ${shorten(evidence.run, 100)}: ${detail}` : detail
