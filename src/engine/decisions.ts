import { inserted, record, updated } from '../events/change.ts'
import { bug } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import type { Decision, PlaybookEvent } from '../playbooks/contract.ts'
import { findAttempt } from '../work/attempts/store.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { liveStatuses } from '../work/briefs/states.ts'
import {
  briefs,
  findBrief,
  findPlanner,
  listLastBriefs,
  listOpenBriefs,
  listVerifiedBriefs,
} from '../work/briefs/store.ts'
import type { QuestionClass } from '../work/questions/contract.ts'
import { runs } from '../work/runs/store.ts'
import { addBriefs } from '../work/briefs/add.ts'
import { acknowledge } from '../work/amendments/moves.ts'
import {
  askAboutBrief,
  askAboutBudget,
  askAboutFailures,
  askQuestion,
  withdrawQuestions,
} from '../work/questions/ask.ts'
import { writeDocument } from '../work/artifacts/write.ts'
import { amendBrief, commitDrafts, releaseDrafts, reopenDrafts, reviseDraft } from '../work/briefs/drafts.ts'
import { holdDependents, releaseDependents } from '../work/briefs/dependents.ts'
import { closeGates, keepPaused, openGate, passGate } from '../work/gates/open.ts'
import { endLiveAttempts } from '../work/attempts/end-live.ts'
import { createBriefs, newBrief } from '../work/briefs/create.ts'
import { type RunScope } from '../work/scope.ts'
import { reworkBrief, sendBack } from '../work/briefs/send-back.ts'
import { supersede } from './superseded.ts'
import { tell } from '../work/parts/moves.ts'
import { resets, unblockBrief } from './unblocked.ts'
import {
  beginLanding,
  closePullRequest,
  holdForMerge,
  holdPartForMerge,
  openPullRequest,
  waitsForMerge,
} from '../work/pull-requests/moves.ts'
import { commissionVerifier, verifyBriefs } from '../work/verdicts/moves.ts'
import { partBoundary, viewFor } from './view.ts'
import { moveBrief, nameOf } from '../work/briefs/moves.ts'
import { moveRun, moveRunsMission } from '../work/runs/moves.ts'

/** Asks the playbook and does what it says, until it has nothing more to say. All in the caller's transaction. */
export async function applyDecisions(scope: RunScope, event: PlaybookEvent): Promise<void> {
  for (const decision of scope.playbook.decide(await viewFor(scope, event), event)) {
    if (scope.run.endedAt !== null) return
    await apply(scope, decision)
  }
}

async function apply(scope: RunScope, decision: Decision): Promise<void> {
  switch (decision.kind) {
    case 'create_briefs':
      return createBriefs(scope, decision.briefs)
    case 'add_briefs':
      return addBriefs(scope, decision.briefs)
    case 'create_planner':
      return createPlanner(scope, decision.objective)
    case 'adopt_plan':
      return adoptPlan(scope)
    case 'replan':
      return replan(scope, decision.reason)
    case 'verify_brief':
      return commissionVerifier(scope, decision.brief, decision.seen)
    case 'verify_briefs':
      return verifyBriefs(scope, decision.briefs, decision.event)
    case 'pass_brief':
      return passBrief(scope, decision.brief, decision.reason)
    case 'rework_brief':
      return reworkBrief(scope, decision.brief, decision.corrections, decision.counter)
    case 'send_back':
      return sendBack(scope, decision.brief, decision)
    case 'resolve_brief':
      return resolveBrief(scope, decision)
    case 'block_brief':
      return blockBrief(scope, decision.brief, decision.reason, decision.class)
    case 'ask':
      return ask(scope, decision.brief, decision.reason, decision.class)
    case 'ask_about_failures':
      return askAboutFailures(scope)
    case 'close_brief':
      return closeBrief(scope, decision.brief)
    case 'fail_brief':
      // Nobody has begun it: there is nothing that could have failed but the run.
      if (decision.brief.status === 'pending') return endRun(scope, 'failed', decision.reason)
      return failBrief(scope, decision.brief, decision.reason)
    case 'cancel_briefs':
      return supersede(scope, decision.briefs, decision.reason)
    case 'revise_draft':
      return reviseDraft(scope, decision.brief, decision.draft)
    case 'amend_brief':
      return amendBrief(scope, decision.brief, decision)
    case 'commit_drafts':
      return commitDrafts(scope, decision.briefs, decision.by)
    case 'reopen_drafts':
      return reopenDrafts(scope, decision.briefs, decision.by)
    case 'release_drafts':
      return releaseDrafts(scope, decision.briefs, decision.event)
    case 'tell':
      return tell(scope, decision.event, decision.parts)
    case 'write_document':
      return writeDocument(scope, decision.brief, decision.name, decision.content)
    case 'open_gate':
      return halt(scope, decision)
    case 'pass_gate':
      return passGate(scope, decision.gate, decision.part, decision.by)
    case 'start_timer':
      return scope.later(scope.tx, {
        kind: 'playbook_timer',
        runId: scope.run.id,
        name: decision.name,
        part: decision.part,
        delayMs: decision.minutes * 60_000,
      })
    case 'merge_part':
      return mergePart(scope, decision.part)
    case 'pause_and_ask':
      return pauseAndAsk(scope, decision.text, decision.context)
    case 'acknowledge':
      return acknowledge(scope, decision.amendment, decision.by)
    case 'land':
      return beginLanding(scope)
    case 'rework_result':
      return reworkResult(scope, decision.reason)
    case 'end_run':
      return endRun(scope, decision.status, decision.summary)
  }
}

async function halt(scope: RunScope, decision: Extract<Decision, { kind: 'open_gate' }>): Promise<void> {
  const { gate, summary, part, approver, message, timeoutMinutes } = decision
  if (gate === 'merge') await openPullRequest(scope)
  const { configuration } = scope.run
  await openGate(scope, {
    gate,
    summary: gate === 'plan' ? await withPlan(scope, summary) : summary,
    timeoutMinutes:
      timeoutMinutes !== undefined
        ? timeoutMinutes
        : (configuration.gateTimeoutMinutes ?? configuration.team?.gateTimeoutMinutes ?? null),
    ...(part === undefined ? {} : { boundary: partBoundary(part) }),
    ...(approver === undefined ? {} : { approver }),
    ...(message === undefined ? {} : { message }),
  })
}

async function mergePart(scope: RunScope, part: string): Promise<void> {
  if (!(await holdPartForMerge(scope, part))) await scope.decide({ kind: 'part_merged', part })
}

/** Who stands above it has answered; the next time it goes one higher. */
async function resolveBrief(
  scope: RunScope,
  { brief: stale, by, class: cause, guidance, corrections }: Extract<Decision, { kind: 'resolve_brief' }>,
): Promise<void> {
  const brief = (await findBrief(scope.tx, stale.id)) ?? stale
  await unblockBrief(
    scope,
    brief,
    {
      ...resets[cause],
      escalations: brief.escalations + 1,
      ...(guidance === null ? {} : { guidance: [...brief.guidance, guidance] }),
      ...(corrections === undefined ? {} : { corrections: [...corrections] }),
    },
    `answered by ${by}`,
  )
}

/** Whoever waits finds it there already: nothing starts before the answer. */
async function pauseAndAsk(scope: RunScope, text: string, context: string): Promise<void> {
  await keepPaused(scope, text)
  await askQuestion(scope, {
    brief: null,
    kind: 'failure',
    class: 'gate',
    text,
    context,
    options: [
      { key: 'resume', label: 'Go on', detail: 'It is tried again with the last reason.' },
      { key: 'abandon', label: 'Give up', detail: 'The run fails.' },
    ],
    recommendation: null,
    risk: 'high',
  })
}

/** What the agent itself asks, in its own words and with its own options. */
async function ask(scope: RunScope, brief: Brief, reason: string, cause: QuestionClass): Promise<void> {
  if (cause === 'budget') return askAboutBudget(scope, brief, reason)
  const attempt =
    cause !== 'asked' || brief.attemptId === null ? undefined : await findAttempt(scope.tx, brief.attemptId)
  const asked = attempt?.report?.question
  await askAboutBrief(scope, brief, asked?.text ?? reason, cause, asked)
}

async function createPlanner(scope: RunScope, objective: string): Promise<void> {
  const { run, tx } = scope
  const brief = newBrief(scope, {
    id: scope.ids.next('brief'),
    key: 'plan:1',
    number: 0,
    kind: 'plan',
    title: 'Plan the work',
    objective,
  })
  const open = { briefsOpen: run.briefsOpen + 1 }
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      level: 'verbose',
      message: 'plan the work first',
      data: { to: 'pending' },
    },
    [inserted(briefs, brief), updated(runs, run, open)],
  )
  scope.run = { ...run, ...open }
}

async function planOf(scope: RunScope) {
  const planner = await findPlanner(scope.tx, scope.run.id)
  if (planner === undefined) return null
  const attempt = planner.attemptId === null ? undefined : await findAttempt(scope.tx, planner.attemptId)
  return { planner, plan: attempt?.report?.plan ?? [] }
}

async function withPlan<Summary extends { produced: string }>(scope: RunScope, summary: Summary): Promise<Summary> {
  const planned = await planOf(scope)
  if (planned === null) return summary
  const lines = planned.plan
    .slice(0, 50)
    .map((brief) => `- ${brief.key}: ${shorten(brief.title ?? brief.objective, 120)}`)
  const more = planned.plan.length - lines.length
  const produced = [`A plan of ${planned.plan.length} briefs:`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])]
  return { ...summary, produced: produced.join('\n') }
}

async function adoptPlan(scope: RunScope): Promise<void> {
  const planned = await planOf(scope)
  if (planned === null) throw bug(`run ${scope.run.id} has no plan to adopt`)
  await createBriefs(scope, planned.plan)
  await closeBrief(scope, planned.planner)
}

async function replan(scope: RunScope, reason: string): Promise<void> {
  const planned = await planOf(scope)
  if (planned === null) throw bug(`run ${scope.run.id} has nobody to plan it again`)
  await sendBack(scope, planned.planner, { reason, class: 'rejected' })
}

async function reworkResult(scope: RunScope, reason: string): Promise<void> {
  for (const brief of await listLastBriefs(scope.tx, scope.run.id))
    await sendBack(scope, brief, { reason, class: 'rejected' })
}

/** In a repository it is joined with the others' work first: whoever waits for it finds it there. */
async function passBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  if (waitsForMerge(scope, brief)) return holdForMerge(scope, brief, reason)
  await completeBrief(scope, brief, reason)
}

export async function completeBrief(
  scope: RunScope,
  brief: Brief,
  reason: string,
  patch: Partial<Brief> = {},
): Promise<void> {
  const verified = await moveBrief(scope, brief, 'verified', {
    kind: 'completed',
    code: 'DONE',
    message:
      brief.tier === null
        ? `${brief.key} ✓ ${reason}`
        : `${nameOf(brief)} ✓${isResolved(brief) ? ' (retry resolved)' : ''}`,
    ...(isResolved(brief) ? { level: 'normal' as const } : {}),
    data: { reason },
    patch,
    also: await releaseDependents(scope, brief),
  })
  await scope.decide({ kind: 'brief_verified', brief: verified })
}

/** Somebody saw it fail before. */
const isResolved = ({ tier, retriesUsed }: Brief): boolean => tier === 't4' && retriesUsed > 0

async function closeBrief(scope: RunScope, brief: Brief): Promise<void> {
  await moveBrief(scope, brief, 'done', {
    kind: 'session_complete',
    level: 'verbose',
    message: `${brief.key} closed`,
  })
}

/** Nobody below can go on: the playbook says whether somebody above is asked. */
export async function blockBrief(
  scope: RunScope,
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  heldBy: string | null = null,
): Promise<void> {
  const blocked = await moveBrief(scope, brief, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${nameOf(brief)} is blocked: ${shorten(reason, 500)}`,
    data: { class: cause },
    patch: { interruptions: 0, heldBy },
  })
  await scope.decide({ kind: 'brief_blocked', brief: blocked, class: cause, reason })
}

export async function failBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const failed = await moveBrief(scope, brief, 'failed', {
    kind: 'failed',
    code: 'FAIL',
    message: `${nameOf(brief)} ✗ ${reason}`,
    patch: { failure: shorten(reason, 2_000) },
    also: await holdDependents(scope, brief),
  })
  await scope.decide({ kind: 'brief_failed', brief: failed })
}

/** For whoever wants to look at what an agent had before it. */
const keepClonesMs = 24 * 3_600_000

export async function endRun(scope: RunScope, status: 'done' | 'failed' | 'cancelled', summary: string): Promise<void> {
  if (status === 'done') for (const brief of await verifiedOf(scope)) await closeBrief(scope, brief)
  const open = await listOpenBriefs(scope.tx, scope.run.id)
  // Nobody works on for a run that has ended: the verifier of a brief that was cancelled, for one.
  if (open.some((brief) => liveStatuses.includes(brief.status))) await endLiveAttempts(scope, 'the run has ended')
  for (const brief of open) {
    // A step of a playbook is no work that waited to be accepted, and it is done all the same.
    if (status === 'done' && brief.status === 'verified') {
      await closeBrief(scope, brief)
      continue
    }
    await moveBrief(scope, brief, 'cancelled', {
      kind: 'brief_cancelled',
      level: 'verbose',
      message: `${brief.key} cancelled: the run has ${status === 'done' ? 'ended' : status}`,
    })
  }
  await withdrawQuestions(scope)
  await closeGates(scope)
  if (status !== 'done') await closePullRequest(scope)
  const patch = { heldBy: null }
  if (status === 'done') {
    const accepted = scope.run.status === 'accepting'
    if (!accepted) await moveRun(scope, 'accepting', { level: 'verbose', message: 'every brief is done' })
    await moveRun(scope, 'done', { code: 'ACCEPT', message: `✓ ${summary}`, summary, patch })
    await moveRunsMission(scope, accepted ? ['done'] : ['review', 'done'], summary)
  } else {
    const code = status === 'failed' ? 'FAIL' : 'CANCELLED'
    await moveRun(scope, status, { code, message: `✗ ${summary}`, summary, patch })
    await moveRunsMission(scope, [status], summary)
  }
  if (scope.run.repository !== null)
    await scope.later(scope.tx, { kind: 'clean_run', runId: scope.run.id, delayMs: keepClonesMs })
  if (status !== 'cancelled') await tellEnd(scope, status, summary)
}

/** Those that waited for the result to be accepted; without such a gate each was closed when it was verified. */
const verifiedOf = async (scope: RunScope): Promise<Brief[]> =>
  scope.run.briefsVerified === 0 ? [] : listVerifiedBriefs(scope.tx, scope.run.id)

async function tellEnd(scope: RunScope, status: 'done' | 'failed', summary: string): Promise<void> {
  await scope.notify(scope.tx, {
    kind: status === 'done' ? 'run_done' : 'run_failed',
    title: `${status === 'done' ? 'Done' : 'Failed'}: ${shorten(scope.run.goalAnchor, 120)}`,
    summary,
    actions: [{ label: 'Look', command: `agency inspect ${scope.run.id}` }],
    runId: scope.run.id,
    organisationId: scope.run.organisationId,
    object: scope.run.id,
    state: status,
  })
}

/** Stops a run from outside: whoever works on it is told by `afterCommit` of the caller. */
export const cancelRun = (scope: RunScope, reason: string): Promise<void> => endRun(scope, 'cancelled', reason)
