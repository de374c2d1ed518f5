import type { Brief } from '../../work/briefs/contract.ts'
import type { GateRow } from '../../work/gates/contract.ts'
import type { Decision, Playbook, PlaybookEvent, View } from '../contract.ts'
import { endRun, faultsOfAcceptance, rejectResult, onResultAcceptance, textOfAcceptance } from './t1-accept.ts'
import { onAmended, amendTimer, onInsertedProposal, followAmendment } from './amend.ts'
import {
  onArchitectureAcceptance,
  startSquads,
  faultsOfSynthesis,
  onProposal,
  redesign,
  onSynthesis,
} from './t2-architecture.ts'
import { onCancelled } from './cancel.ts'
import { onMergeConflict } from './escalate-merge-conflict.ts'
import {
  type Acceptance,
  type Bounds,
  BriefData,
  type IntegrationSummary,
  type JointVerdict,
  outputs,
  type Proposal,
  type Resolution,
  type Synthesis,
  type TaskList,
  type TierPlan,
} from './contract.ts'
import { onBlocked, onFailed, escalateFailures } from './escalate-failures.ts'
import { onSummary } from './t1-finish.ts'
import { onBoundariesApproved, onBoundaries } from './t2-lead.ts'
import { onTaskListVerified, onTaskList, faultsOfList, onTasksApproved, onTasksRejected } from './t3-mesh.ts'
import { documents, keys } from './base-names.ts'
import { counts, needs } from './needs.ts'
import { onCritique, onPlanApproved, onPlan, onPlanRejected, startRun } from './t1-plan.ts'
import { faultsOfPlan } from './t1-plan-faults.ts'
import { ladder, onRaised } from './escalate-question.ts'
import { faultsOfResolution, onResolution } from './escalate-resolve.ts'
import { onMeshTimeout, rescope } from './t3-rescope.ts'
import { continuePaused, onResumed, resumeTimer } from './resume.ts'
import { finishSquad } from './t3-finish-squad.ts'
import { meshTimer } from './t3-squads.ts'
import { above, own, runOf, waveNumber } from './base-state.ts'
import { advance, faultsOfVerdict, onJointVerdict, onVerdictApproved, onVerdictRejected } from './t3-verdict.ts'
import { onWorkstreamMerged } from './base-waves.ts'
import { branches } from './branches.ts'
import { caps, derive, describe, verifier } from './describe.ts'
import { tierNames } from '../../team/contract.ts'
import { checkInput } from './input.ts'
import { paths } from './paths.ts'
import { settingsOf } from './base-settings.ts'

/**
 * From a goal to an accepted result over five tiers: T1 plans and accepts, T2 designs, T3 divides the work, T4 does it,
 * T5 judges it. T1 decides for each workstream which tiers it needs. All state is in rows: parts, briefs, documents.
 */
export const tiered: Playbook = {
  name: 'tiered',
  decide,
  needs,
  counts,
  outputs,
  casts: { t1_plan: 't2', t1_critique: 't2', t3_plan: 't4', t3_mesh: 't4', resolve: 't4' },
  faults,
  checkInput,
  workRuntime: ({ tiers }) => tiers.t4,
  seatRuntime: ({ tiers }) => tiers.t1,
  requires: (run) => settingsOf(run).pipelineRequires,
  approvalGates: ['t1_plan'],
  logsProgress: true,
  runTags: { tier: 'T1' },
  briefData: BriefData,
  capKeys: tierNames,
  caps,
  describe,
  verifier,
  derive,
  branches,
  conclusion: { document: documents.acceptance('final'), textOf: textOfAcceptance },
  paths,
  ladder,
}

function decide(view: View, event: PlaybookEvent): readonly Decision[] {
  switch (event.kind) {
    case 'run_started':
      return startRun(view)
    case 'brief_reported':
      return []
    case 'brief_ready':
      return onReady(view, event.brief, event.seen.report.output)
    case 'brief_judged':
      return advance(view, event.brief)
    case 'brief_unjudged':
      return [{ kind: 'block_brief', brief: event.brief, class: 'verification', reason: event.reason }]
    case 'brief_verified':
      return onVerified(view, event.brief)
    case 'brief_blocked':
      return onBlocked(view, event)
    case 'brief_failed':
      return onFailed(view, event.brief)
    case 'brief_cancelled':
      return onCancelled(view, event)
    case 'siblings_ended':
      return escalateFailures(view)
    case 'gate_approved':
      return onGateApproved(view, event.gate)
    case 'gate_rejected':
      return onGateRejected(view, event.gate, event.reason)
    case 'timer':
      return onTimer(view, event.name)
    case 'part_merged':
      return onWorkstreamMerged(view)
    case 'part_conflict':
      return onMergeConflict(view, event.files)
    case 'amended':
      return onAmended(view, event.amendment)
    case 'merge_failed':
      return rejectResult(view, { reason: event.reason, workstreams: [], action: 'rework' })
    case 'run_resumed':
      return onResumed(view)
    case 'question_raised':
      return onRaised(view, event)
    case 'question_answered':
    case 'notes_escalated':
      return []
  }
}

/** Handles a finished step. Its output was checked against its shape before. */
function onReady(view: View, brief: Brief, output: unknown): readonly Decision[] {
  switch (brief.phase) {
    case 't1_plan':
      return onPlan(view, brief, output as TierPlan)
    case 't1_critique':
      return onCritique(view, brief, output as TierPlan)
    case 't1_accept':
      return brief.inputs['accept_scope'] === 'architecture'
        ? onArchitectureAcceptance(view, brief, output as Acceptance)
        : onResultAcceptance(view, brief, output as Acceptance)
    case 't2_lead':
      return onBoundaries(view, brief, output as Bounds)
    case 't2_specialist':
    case 't2_conflict':
      return brief.inputs['inserted'] === true
        ? onInsertedProposal(view, brief, output as Proposal)
        : onProposal(view, brief, output as Proposal)
    case 't2_synthesis':
      return onSynthesis(view, brief, output as Synthesis)
    case 't2_summary':
      return onSummary(view, brief, output as IntegrationSummary)
    case 't3_plan':
    case 't3_mesh':
      return onTaskList(view, brief, output as TaskList)
    case 't3_verdict':
      return onJointVerdict(view, brief, output as JointVerdict)
    case 'resolve':
      return onResolution(view, brief, output as Resolution)
    default:
      return advance(view, brief)
  }
}

function onVerified(view: View, brief: Brief): readonly Decision[] {
  if (brief.phase === 't3_plan' || brief.phase === 't3_mesh') return onTaskListVerified(view, brief)
  return brief.phase === 't4' ? finishSquad(view) : []
}

function onGateApproved(view: View, { gate }: GateRow): readonly Decision[] {
  switch (gate) {
    case 't1_plan':
      return onPlanApproved(view)
    case 't2_lead':
      return onBoundariesApproved(view)
    case 't2_synthesis':
      return startSquads(view, above(view, 'wave:'))
    case 't3_plan':
      return onTasksApproved(view)
    case 't5_verdict':
      return onVerdictApproved(view)
    case 'escalation':
      return rescope(view, own(view), { isByT1: false, timeouts: 0, isPatient: true })
    case 'merge':
      return [{ kind: 'land' }]
    case 'acceptance':
      return [endRun(view, runOf(view).accepted ?? 'the result')]
    default:
      return []
  }
}

function onGateRejected(view: View, { gate }: GateRow, reason: string): readonly Decision[] {
  switch (gate) {
    case 't1_plan':
      return onPlanRejected(view, reason)
    case 't2_lead':
      return [{ kind: 'send_back', brief: view.found.briefs[keys.lead] as Brief, reason, class: 'rejected' }]
    case 't2_synthesis':
      return [redesign(view, waveNumber(above(view, 'wave:')), reason)]
    case 't3_plan':
      return onTasksRejected(view, reason)
    case 't5_verdict':
      return onVerdictRejected(view, reason)
    case 'escalation':
      return [{ kind: 'end_run', status: 'failed', summary: `abandoned: ${reason}` }]
    case 'merge':
    case 'acceptance':
      return rejectResult(view, { reason, workstreams: [], action: 'rework' })
    default:
      return []
  }
}

function onTimer(view: View, name: string): readonly Decision[] {
  if (name === meshTimer) return onMeshTimeout(view)
  if (name === resumeTimer) return continuePaused(view)
  return name === amendTimer ? followAmendment(view) : []
}

/** Returns the faults of an output of the right shape, for its author. */
function faults(view: View, brief: Brief, output: unknown): readonly string[] {
  switch (brief.phase) {
    case 't1_plan':
    case 't1_critique':
      return faultsOfPlan(view.run, output as TierPlan)
    case 't1_accept':
      return faultsOfAcceptance(view, brief, output as Acceptance)
    case 't2_synthesis':
      return faultsOfSynthesis(view, output as Synthesis)
    case 't3_plan':
    case 't3_mesh':
      return faultsOfList(view, brief, output as TaskList)
    case 't3_verdict':
      return faultsOfVerdict(brief, output as JointVerdict)
    case 'resolve':
      return faultsOfResolution(view, brief, output as Resolution)
    default:
      return []
  }
}
