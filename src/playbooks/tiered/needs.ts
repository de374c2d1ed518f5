import type { Brief } from '../../work/briefs/contract.ts'
import type { Needs, PlaybookEvent, View } from '../contract.ts'
import { acceptFaultNeeds, rejectionNeeds } from './t1-accept.ts'
import { amendmentNeeds, amendTimer, insertedNeeds, followNeeds } from './amend.ts'
import { architectureNeeds, isLastProposal } from './t2-architecture.ts'
import { conflictNeeds } from './escalate-merge-conflict.ts'
import type { Acceptance, TierPlan } from './contract.ts'
import { designBriefs, designDocuments } from './t2-design.ts'
import { blockedNeeds, failedNeeds } from './escalate-failures.ts'
import { agreementNeeds, draftNeeds, meshFaultNeeds, taskGateNeeds } from './t3-mesh.ts'
import { documents, keys, runPart, wavePart } from './base-names.ts'
import { replanNeeds } from './t1-replan.ts'
import { rescopeNeeds } from './t3-rescope.ts'
import { resolveNeeds } from './escalate-resolve.ts'
import { continueNeeds, resumeNeeds, resumeTimer } from './resume.ts'
import { finishNeeds } from './t3-finish-squad.ts'
import { meshTimer } from './t3-squads.ts'
import { above, runOf, waveNumber } from './base-state.ts'
import { mostReceived } from './base-steps.ts'
import { squadNeeds, verdictGateNeeds } from './t3-verdict.ts'
import { waveNeeds } from './base-waves.ts'

/** Returns the further rows that a decision needs. Frequent events ask for none until they change something. */
export function needs(view: View, event: PlaybookEvent): Needs {
  switch (event.kind) {
    case 'brief_reported':
      return reportedNeeds(view, event.brief)
    case 'brief_ready':
      return readyNeeds(view, event.brief, event.seen.report.output)
    case 'brief_judged':
      return squadNeeds(view)
    case 'brief_verified':
      return verifiedNeeds(view, event.brief)
    case 'brief_cancelled':
      return cancelledNeeds(view, event.brief)
    case 'brief_blocked':
      return blockedNeeds(view, event.brief)
    case 'brief_failed':
      return failedNeeds(view, event.brief)
    case 'siblings_ended':
      return failedNeeds(view)
    case 'gate_approved':
    case 'gate_rejected':
      return gateNeeds(view, event.gate.gate)
    case 'timer':
      return timerNeeds(view, event.name)
    case 'part_merged':
      return mergedNeeds(view)
    case 'part_conflict':
      return conflictNeeds(view)
    case 'amended':
      return amendmentNeeds(event.amendment)
    case 'merge_failed':
      return { parts: [runPart], groups: 'all' }
    case 'run_resumed':
      return resumeNeeds
    case 'run_started':
    case 'brief_unjudged':
    case 'question_answered':
    case 'question_raised':
    case 'notes_escalated':
      return {}
  }
}

/**
 * Reports whether the briefs of the event's part are counted for it: only if the end of one of several may be the last
 * that a step waits for.
 */
export function counts(event: PlaybookEvent): boolean {
  switch (event.kind) {
    case 'brief_ready':
      return !alone.has(event.brief.phase)
    case 'brief_judged':
      return true
    case 'brief_verified':
      return event.brief.phase === 't4' || event.brief.phase === 't3_plan' || event.brief.phase === 't3_mesh'
    case 'brief_cancelled':
      return event.brief.phase !== 'resolve'
    case 'gate_approved':
    case 'gate_rejected':
      return event.gate.gate === 't5_verdict'
    default:
      return false
  }
}

/** The phases whose steps are followed without a look at others of their part. */
const alone: ReadonlySet<string | null> = new Set([
  't1_plan',
  't1_critique',
  't1_accept',
  't2_lead',
  't2_synthesis',
  't2_summary',
  't3_plan',
  't3_mesh',
  'resolve',
])

/** Returns the rows that a check of an output for faults needs. */
function reportedNeeds(view: View, brief: Brief): Needs {
  switch (brief.phase) {
    case 't1_accept':
      return brief.inputs['accept_scope'] === 'final' ? acceptFaultNeeds(view) : {}
    case 't3_mesh':
      return meshFaultNeeds(view, brief)
    case 'resolve':
      return resolveNeeds(view, brief)
    default:
      return {}
  }
}

function readyNeeds(view: View, brief: Brief, output: unknown): Needs {
  switch (brief.phase) {
    case 't1_plan':
      return { briefs: [keys.critique] }
    case 't1_critique':
      return { history: true, amendments: true, personalities: specialistsOf(output) }
    case 't1_accept':
      return acceptNeeds(view, brief, output)
    case 't2_lead': {
      const { wave } = runOf(view)
      return { ...waveNeeds(wave), parts: [wavePart(wave)], amendments: true }
    }
    case 't2_specialist':
    case 't2_conflict':
      if (brief.inputs['inserted'] === true) return insertedNeeds(view, brief)
      return isLastProposal(view) ? architectureNeeds(above(view, 'wave:')) : {}
    case 't2_synthesis':
      return architectureNeeds(above(view, 'wave:'))
    case 't2_summary':
      return { briefs: [keys.plan, keys.acceptFinal], amendments: true, work: mostReceived }
    case 't3_plan':
    case 't3_mesh':
      return draftNeeds(brief)
    case 't3_verdict':
      return verdictGateNeeds(view)
    case 'resolve':
      return resolveNeeds(view, brief)
    default:
      return squadNeeds(view)
  }
}

const specialistsOf = (output: unknown): string[] => {
  const streams = (output as TierPlan | undefined)?.workstreams ?? []
  return [...new Set(streams.flatMap(({ t2_specialist: name }) => name ?? []))]
}

function acceptNeeds(view: View, brief: Brief, output: unknown): Needs {
  if (brief.inputs['accept_scope'] === 'architecture') return architectureNeeds(above(view, 'wave:'))
  const acceptance = output as Acceptance | undefined
  return acceptance?.decision === 'reject' ? rejectionNeeds(view, acceptance.workstreams) : { amendments: true }
}

function verifiedNeeds(view: View, brief: Brief): Needs {
  if (brief.phase === 't3_plan' || brief.phase === 't3_mesh') return agreementNeeds(view, brief)
  return brief.phase === 't4' ? finishNeeds(view) : {}
}

function cancelledNeeds(view: View, brief: Brief): Needs {
  if (brief.phase === 'resolve') return resolveNeeds(view, brief)
  if (brief.phase !== 't4' && brief.phase !== 't5' && brief.phase !== 't3_verdict') return {}
  return { ...squadNeeds(view), members: [brief.part as string] }
}

function gateNeeds(view: View, gate: string): Needs {
  switch (gate) {
    case 't1_plan':
      return runOf(view).replan === undefined ? { documents: designDocuments, briefs: designBriefs } : replanNeeds(view)
    case 't2_lead': {
      const { wave } = runOf(view)
      return { ...waveNeeds(wave), parts: [wavePart(wave)] }
    }
    case 't2_synthesis':
      return architectureNeeds(above(view, 'wave:'))
    case 't3_plan':
      return taskGateNeeds(view)
    case 't5_verdict':
      return verdictGateNeeds(view)
    case 'escalation':
      return rescopeNeeds(view)
    case 'merge':
    case 'acceptance':
      return { parts: [runPart], groups: 'all' }
    default:
      return {}
  }
}

function timerNeeds(view: View, name: string): Needs {
  switch (name) {
    case meshTimer:
      return rescopeNeeds(view)
    case resumeTimer:
      return continueNeeds(view)
    case amendTimer:
      return followNeeds(view)
    default:
      return {}
  }
}

function mergedNeeds(view: View): Needs {
  const wave = above(view, 'wave:')
  const next = waveNumber(wave) + 1
  const isLast = next > runOf(view).waves
  return {
    countBelow: [wave.key],
    amendments: true,
    ...(isLast
      ? { briefs: [keys.plan, keys.summary, keys.acceptFinal], documents: [documents.architecture], work: mostReceived }
      : { ...waveNeeds(next), parts: [wavePart(next)] }),
  }
}
