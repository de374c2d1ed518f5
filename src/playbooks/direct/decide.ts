import { counted } from '../../kernel/amounts.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { BriefSpec, Correction } from '../../work/briefs/contract.ts'
import type { QuestionClass } from '../../work/questions/contract.ts'
import { type CreateRun, isLargePlan, type Run } from '../../work/runs/contract.ts'
import type { Judgement } from '../../work/verdicts/contract.ts'
import type { Decision, NeededRows, Needs, Playbook, PlaybookEvent, View } from '../contract.ts'

/**
 * Plain work without a lead: the goal is one brief, or a list that the operator or a planner wrote. Evidence decides,
 * then a verifier where evidence cannot. A blocked brief asks the operator. The run is done when no brief is open.
 */
export const direct: Playbook = { name: 'direct', decide, checkInput, needs, approvalGates: ['plan'], hasPlan: true }

/** Refuses settings that this playbook ignores. */
function checkInput({ team, strict }: CreateRun): void {
  const unused = team !== undefined ? '--team' : strict ? '--strict' : null
  if (unused !== null)
    throw refusal('invalid_input', `${unused} is for runs in tiers, and this one is direct`, {
      hint: 'Add --playbook tiered.',
    })
}

function decide(view: View, event: PlaybookEvent): readonly Decision[] {
  const { run } = view
  const { configuration } = run
  switch (event.kind) {
    case 'run_started':
      return start(view, event)
    case 'brief_ready':
      if (event.brief.kind === 'plan') return onPlan(view, event)
      return event.brief.verify === 'agent'
        ? [{ kind: 'verify_briefs', briefs: [event.brief], seen: event.seen }]
        : [{ kind: 'pass_brief', brief: event.brief, reason: 'its evidence holds' }]
    case 'brief_judged':
      return onVerdict(event)
    case 'brief_unjudged':
      return [{ kind: 'block_brief', brief: event.brief, class: 'verification', reason: event.reason }]
    case 'brief_verified':
      if (event.brief.kind === 'plan') return isAsked(run, view.found.plan?.briefs ?? []) ? [] : adoptPlan(view)
      return isKept(run) || view.found.needsPerson === true
        ? finish(view)
        : [{ kind: 'close_brief', brief: event.brief }, ...finish(view, event.brief)]
    case 'brief_blocked':
      return configuration.onLimit === 'fail' && !isForTheOperator(run, event.class)
        ? [{ kind: 'fail_brief', brief: event.brief, reason: event.reason }]
        : [{ kind: 'ask', brief: event.brief, class: event.class, reason: event.reason }]
    case 'brief_cancelled':
    case 'run_resumed':
      return finish(view)
    case 'brief_failed':
    case 'siblings_ended':
      return surfaceFailure(view)
    case 'merge_failed':
      return reworkResult(view, event.reason)
    case 'gate_approved':
      if (event.gate.gate === 'merge') return [{ kind: 'land' }]
      if (event.gate.gate === 'acceptance') return [accept(view, ' and accepted')]
      return event.gate.gate === 'plan' && configuration.planner ? adoptPlan(view) : []
    case 'gate_rejected':
      return onGateRejected(view, event)
    // Runs of this playbook have no parts.
    case 'brief_reported':
    case 'timer':
    case 'part_merged':
    case 'part_conflict':
    case 'amended':
    // Answers, rungs and notes have their default meaning.
    case 'question_answered':
    case 'question_raised':
    case 'notes_escalated':
      return []
  }
}

function start({ run }: View, { briefs }: Extract<PlaybookEvent, { kind: 'run_started' }>): readonly Decision[] {
  const { planner, planGate } = run.configuration
  if (planner) return [{ kind: 'create_planner', objective: run.goalAnchor }]
  const plan = briefs.length > 0 ? briefs : [{ key: 'main', objective: run.goalAnchor, after: [] }]
  const created: Decision = { kind: 'create_briefs', briefs: plan }
  if (!planGate) return [created]
  const listed = plan.slice(0, 50).map((brief) => `- ${brief.key}: ${firstLine(brief.title ?? brief.objective)}`)
  if (plan.length > listed.length) listed.push(`- and ${plan.length - listed.length} more`)
  return [
    created,
    {
      kind: 'open_gate',
      gate: 'plan',
      message: '⏸ Waiting on approval of the plan',
      summary: {
        produced: `A plan of ${counted(plan.length, 'brief')}:\n${listed.join('\n')}`,
        next: `${counted(plan.filter((brief) => brief.after.length === 0).length, 'brief')} can start at once.`,
        anomalies: plan.some((brief) => (brief.evidence ?? run.configuration.evidence).length === 0)
          ? [
              `Some briefs have no checkable evidence: ${run.configuration.verify === 'none' ? 'they are not judged at all.' : 'a verifier judges them.'}`,
            ]
          : [],
      },
    },
  ]
}

function onPlan({ run }: View, { brief, seen }: Extract<PlaybookEvent, { kind: 'brief_ready' }>): readonly Decision[] {
  const passed: Decision = { kind: 'pass_brief', brief, reason: 'a plan that can be followed' }
  const plan = seen.report.plan ?? []
  if (!isAsked(run, plan)) return [passed]
  return [
    passed,
    {
      kind: 'open_gate',
      gate: 'plan',
      message: '⏸ Waiting on approval of the plan',
      summary: {
        produced: planText(plan),
        next: 'The planned briefs start as soon as you approve.',
        anomalies:
          run.configuration.evidence.length === 0
            ? [
                `You declared no evidence, and the planner’s own proves nothing to you: ${run.configuration.verify === 'none' ? 'the briefs are not judged at all.' : 'a verifier judges every brief.'}`,
              ]
            : [],
      },
    },
  ]
}

/** Reports whether a plan that an agent wrote waits for the operator's approval. */
const isAsked = ({ configuration }: Run, plan: readonly unknown[]): boolean =>
  configuration.planGate || isLargePlan(plan.length, configuration)

function planText(plan: readonly BriefSpec[]): string {
  const lines = plan.slice(0, 50).map((brief) => `- ${brief.key}: ${shorten(brief.title ?? brief.objective, 120)}`)
  const more = plan.length - lines.length
  return [`A plan of ${plan.length} briefs:`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

/** Turns the planner's report into the briefs of the run. */
function adoptPlan(view: View): readonly Decision[] {
  const { planner, briefs } = planOf(view)
  return [
    { kind: 'create_briefs', briefs },
    { kind: 'close_brief', brief: planner },
  ]
}

function planOf({ run, found }: View): NonNullable<NeededRows['plan']> {
  if (found.plan === undefined) throw bug(`run ${run.id} has no planner`)
  return found.plan
}

/** Sends back the last briefs of the run: those without dependents. */
const reworkResult = ({ found }: View, reason: string): readonly Decision[] =>
  found.last.map((brief) => ({ kind: 'send_back', brief, reason, class: 'rejected' }))

function needs(view: View, event: PlaybookEvent): Needs {
  const { run } = view
  const { planner, planGate } = run.configuration
  switch (event.kind) {
    case 'brief_verified':
      if (event.brief.kind === 'plan') return planner && !planGate ? { plan: true } : failureNeeds(view)
      return isKept(run) ? failureNeeds(view) : { ...failureNeeds(view), person: true }
    case 'gate_approved':
      return planner && event.gate.gate === 'plan' ? { plan: true } : {}
    case 'gate_rejected':
      return event.gate.gate === 'plan' ? (planner ? { plan: true } : {}) : { last: true }
    case 'merge_failed':
      return { last: true }
    default:
      return failureNeeds(view)
  }
}

const failureNeeds = ({ run, liveAttempts }: View): Needs =>
  run.briefsFailed === 1 && liveAttempts === 0 && isLost(run) ? { failed: true } : {}

function onVerdict({ brief, judgement }: Extract<PlaybookEvent, { kind: 'brief_judged' }>): readonly Decision[] {
  if (judgement.verdict === 'pass') return [{ kind: 'pass_brief', brief, reason: 'a verifier passed it' }]
  const corrections = correctionsOf(judgement)
  if (brief.verificationFailures < brief.verificationLimit) return [{ kind: 'rework_brief', brief, corrections }]
  const { verificationFailures: failures, verificationLimit: limit } = brief
  return [
    {
      kind: 'block_brief',
      brief,
      class: 'verification',
      reason: `verdict ${judgement.verdict}: ${corrections[0]?.detail} (after ${failures} of ${limit} retries)`,
      corrections,
    },
  ]
}

function correctionsOf({ verdict, missingEvidence, issues, notes }: Judgement): Correction[] {
  const corrections = [
    ...missingEvidence.map((detail) => ({ evidence: 'missing evidence', detail })),
    ...issues.map((detail) => ({ evidence: 'the verifier', detail })),
  ]
  return corrections.length > 0 ? corrections : [{ evidence: 'the verifier', detail: notes || `verdict ${verdict}` }]
}

/** Reports whether a mission's step waits for the operator: it lacks only a decision. Any other stop is a failure. */
const isForTheOperator = ({ configuration }: Run, cause: QuestionClass): boolean =>
  configuration.purpose !== undefined && ['permission', 'secret', 'budget', 'asked'].includes(cause)

/** Waits for running attempts to finish; no brief starts in a run with a failed one. */
function surfaceFailure(view: View): readonly Decision[] {
  if (view.liveAttempts > 0) return []
  return isLost(view.run)
    ? [{ kind: 'end_run', status: 'failed', summary: failureOf(view) }]
    : [{ kind: 'ask_about_failures' }]
}

/** Reports whether a failure ends the run: the operator is not asked about it. */
const isLost = ({ abandoned, configuration }: Run): boolean => abandoned || configuration.onLimit === 'fail'

/** Names the cause of a single failure; several are listed with the briefs. */
function failureOf({ run, found }: View): string {
  const count = `${counted(run.briefsFailed, 'brief')} failed`
  const [failed, ...others] = found.failed
  return failed === undefined || others.length > 0
    ? count
    : `${count}: ${failed.key}: ${shorten(firstLine(failed.failure ?? 'it failed'), 300)}`
}

function onGateRejected(
  view: View,
  { gate, reason }: Extract<PlaybookEvent, { kind: 'gate_rejected' }>,
): readonly Decision[] {
  if (gate.gate === 'acceptance' || gate.gate === 'merge') return reworkResult(view, reason)
  if (gate.gate !== 'plan') throw bug(`the direct playbook has no gate "${gate.gate}" to reject`)
  // A plan that the operator wrote goes back to the operator: no agent could write another one.
  return view.run.configuration.planner
    ? [{ kind: 'send_back', brief: planOf(view).planner, reason, class: 'rejected' }]
    : [{ kind: 'end_run', status: 'cancelled', summary: `the plan was rejected: ${reason}` }]
}

/** Ends the run when no brief is left. `closing` still counts as open and verified, but not after this decision. */
function finish(view: View, closing?: unknown): readonly Decision[] {
  const { run } = view
  const left = run.briefsOpen - (closing === undefined ? 0 : 1)
  // Also of a paused run: it may wait for the approval of a plan whose planner was cancelled.
  const isEmpty = left === 0 && run.briefsDone + run.briefsFailed === 0 && closing === undefined
  if ((run.status === 'paused' && !isEmpty) || run.heldBy === 'landing') return []
  if (run.briefsFailed > 0) return surfaceFailure(view)
  // Verified work stays open if only a person may accept it, so that it can be rejected.
  const waiting = Math.max(0, run.briefsVerified - (closing === undefined ? 0 : 1))
  if (left > waiting) return []
  if (waiting > 0) {
    if (run.gatesPending > 0) return []
    if (hasResult(run)) return [merge(view)]
    return [run.configuration.acceptance === 'operator' ? acceptance(view) : accept(view)]
  }
  const done = run.briefsDone + (closing === undefined ? 0 : 1)
  // The operator still decides whether the plan gets more briefs: the decision resumes the run.
  if (done > 0 && run.status === 'gated') return []
  return done === 0
    ? [{ kind: 'end_run', status: 'cancelled', summary: 'every brief was cancelled' }]
    : [{ kind: 'end_run', status: 'done', summary: `${counted(done, 'brief')} done, evidence checked` }]
}

/** Reports whether verified briefs stay open until the whole result is accepted or merged. */
const isKept = (run: Run): boolean => run.configuration.acceptance === 'operator' || run.repository !== null

const hasResult = ({ repository, head }: Run): boolean =>
  repository !== null && head !== null && head !== repository.base

/** Opens the gate before the merge: nothing enters the operator's repository without approval. */
function merge({ run }: View): Decision {
  return {
    kind: 'open_gate',
    gate: 'merge',
    summary: {
      produced:
        run.configuration.reverts === undefined
          ? `${counted(run.briefsVerified, 'brief')} verified and merged into one branch; see "agency pr show ${run.id}".`
          : `Takes back what ${run.configuration.reverts.runId} merged as ${run.configuration.reverts.commit.slice(0, 12)}; see "agency pr show ${run.id}".`,
      next: `Approve to merge the result into ${run.repository?.branch}; reject with a reason to repeat its last briefs.`,
      anomalies: run.repository?.warnings ?? [],
    },
  }
}

function acceptance({ run }: View): Decision {
  return {
    kind: 'open_gate',
    gate: 'acceptance',
    summary: {
      produced: `${counted(run.briefsVerified, 'brief')} verified.`,
      next: 'Approve to end the run; reject with a reason to repeat its last briefs.',
      anomalies: [],
    },
  }
}

const accept = ({ run }: View, by = ''): Decision => ({
  kind: 'end_run',
  status: 'done',
  summary: `${counted(run.briefsVerified + run.briefsDone, 'brief')} done${by}`,
})

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] as string
