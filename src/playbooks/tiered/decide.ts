import type { Brief } from '../../work/briefs/contract.ts'
import type { GateRow } from '../../work/gates/contract.ts'
import type { Decision, Playbook, PlaybookEvent, View } from '../contract.ts'
import { faultsOfAcceptance, rejected, resultJudged } from './t1-accept.ts'
import { amended, amendTimer, insertedProposed, rerouted } from './amend.ts'
import { architectureJudged, build, faultsOfSynthesis, proposed, redesign, synthesised } from './t2-architecture.ts'
import { cancelled } from './cancel.ts'
import { mergeConflict } from './escalate-merge-conflict.ts'
import {
  type Acceptance,
  type Bounds,
  type IntegrationSummary,
  type JointVerdict,
  outputs,
  type Proposal,
  type Resolution,
  type Synthesis,
  type TaskList,
  type TierPlan,
} from './contract.ts'
import { blocked, failed, surface } from './escalate-failures.ts'
import { summedUp } from './t1-finish.ts'
import { leadApproved, leadReady } from './t2-lead.ts'
import { agree, drafted, faultsOfList, tasksApproved, tasksRejected } from './t3-mesh.ts'
import { keys } from './base-names.ts'
import { needs } from './needs.ts'
import { criticised, planApproved, planned, planRejected, startRun } from './t1-plan.ts'
import { faultsOfPlan } from './t1-plan-faults.ts'
import { faultsOfResolution, resolved } from './escalate-resolve.ts'
import { meshTimedOut, rescope } from './t3-rescope.ts'
import { goOn, resumed, resumeTimer } from './resume.ts'
import { squadDone } from './t3-finish-squad.ts'
import { meshTimer } from './t3-squads.ts'
import { above, own, waveNumber } from './base-state.ts'
import { advance, faultsOfVerdict, judgedTogether, verdictApproved, verdictRejected } from './t3-verdict.ts'
import { workstreamDone } from './base-waves.ts'
import { wording } from './wording.ts'

/**
 * From a goal to an accepted result over five tiers: T1 plans and accepts, T2 designs, T3 divides the work, T4 does it,
 * T5 judges it. How deep it goes is T1's to say, for each workstream. Everything is remembered in rows: parts, briefs,
 * documents.
 */
export const tiered: Playbook = {
  name: 'tiered',
  decide,
  needs,
  outputs,
  casts: { t1_plan: 't2', t1_critique: 't2', t3_plan: 't4', t3_mesh: 't4', resolve: 't4' },
  faults,
  wording,
}

function decide(view: View, event: PlaybookEvent): readonly Decision[] {
  switch (event.kind) {
    case 'run_started':
      return startRun(view)
    case 'brief_reported':
      return []
    case 'brief_ready':
      return ready(view, event.brief, event.seen.report.output)
    case 'brief_judged':
      return advance(view, event.brief)
    case 'brief_unjudged':
      return [{ kind: 'block_brief', brief: event.brief, class: 'verification', reason: event.reason }]
    case 'brief_verified':
      return verified(view, event.brief)
    case 'brief_blocked':
      return blocked(view, event)
    case 'brief_failed':
      return failed(view, event.brief)
    case 'brief_cancelled':
      return cancelled(view, event.brief)
    case 'siblings_ended':
      return surface(view)
    case 'gate_approved':
      return approved(view, event.gate)
    case 'gate_rejected':
      return sentBack(view, event.gate, event.reason)
    case 'timer':
      return timeCame(view, event.name)
    case 'part_merged':
      return workstreamDone(view)
    case 'part_conflict':
      return mergeConflict(view, event.files)
    case 'amended':
      return amended(view, event.amendment)
    case 'merge_failed':
      return rejected(view, { reason: event.reason, workstreams: [], action: 'rework' })
    case 'run_resumed':
      return resumed(view)
  }
}

/** A step's output has been checked against its shape by now. */
function ready(view: View, brief: Brief, output: unknown): readonly Decision[] {
  switch (brief.phase) {
    case 't1_plan':
      return planned(view, brief, output as TierPlan)
    case 't1_critique':
      return criticised(view, brief, output as TierPlan)
    case 't1_accept':
      return brief.inputs['accept_scope'] === 'architecture'
        ? architectureJudged(view, brief, output as Acceptance)
        : resultJudged(view, brief, output as Acceptance)
    case 't2_lead':
      return leadReady(view, brief, output as Bounds)
    case 't2_specialist':
    case 't2_conflict':
      return brief.inputs['inserted'] === true
        ? insertedProposed(view, brief, output as Proposal)
        : proposed(view, brief, output as Proposal)
    case 't2_synthesis':
      return synthesised(view, brief, output as Synthesis)
    case 't2_summary':
      return summedUp(view, brief, output as IntegrationSummary)
    case 't3_plan':
    case 't3_mesh':
      return drafted(view, brief, output as TaskList)
    case 't3_verdict':
      return judgedTogether(view, brief, output as JointVerdict)
    case 'resolve':
      return resolved(view, brief, output as Resolution)
    default:
      return advance(view, brief)
  }
}

function verified(view: View, brief: Brief): readonly Decision[] {
  if (brief.phase === 't3_plan' || brief.phase === 't3_mesh') return agree(view, brief)
  return brief.phase === 't4' ? squadDone(view) : []
}

function approved(view: View, { gate }: GateRow): readonly Decision[] {
  switch (gate) {
    case 't1_plan':
      return planApproved(view)
    case 't2_lead':
      return leadApproved(view)
    case 't2_synthesis':
      return build(view, above(view, 'wave:'))
    case 't3_plan':
      return tasksApproved(view)
    case 't5_verdict':
      return verdictApproved(view)
    case 'escalation':
      return rescope(view, own(view), { isByT1: false, timeouts: 0, isPatient: true })
    case 'merge':
      return [{ kind: 'land' }]
    default:
      return []
  }
}

function sentBack(view: View, { gate }: GateRow, reason: string): readonly Decision[] {
  switch (gate) {
    case 't1_plan':
      return planRejected(view, reason)
    case 't2_lead':
      return [{ kind: 'send_back', brief: view.found.briefs[keys.lead] as Brief, reason, class: 'rejected' }]
    case 't2_synthesis':
      return [redesign(view, waveNumber(above(view, 'wave:')), reason)]
    case 't3_plan':
      return tasksRejected(view, reason)
    case 't5_verdict':
      return verdictRejected(view, reason)
    case 'escalation':
      return [{ kind: 'end_run', status: 'failed', summary: `given up: ${reason}` }]
    case 'merge':
      return rejected(view, { reason, workstreams: [], action: 'rework' })
    default:
      return []
  }
}

function timeCame(view: View, name: string): readonly Decision[] {
  if (name === meshTimer) return meshTimedOut(view)
  if (name === resumeTimer) return goOn(view)
  return name === amendTimer ? rerouted(view) : []
}

/** What is wrong with an output of the right shape, for its author. */
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
