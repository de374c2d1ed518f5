import { counted } from '../../kernel/amounts.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, View } from '../contract.ts'
import type { Bounds, DomainBoundaries, Proposal, Squad, TierPlan, Workstream } from './contract.ts'
import { documents, keys, runPart, wavePart } from './base-names.ts'
import { changed, changedRun, dataOf, partOf, runOf, type WaveData, type WorkstreamData } from './base-state.ts'
import { addStep, passStep, line, type Step, log } from './base-steps.ts'
import { listed } from './base-text.ts'

export interface Designed {
  readonly id: string
  readonly data: WorkstreamData
}

/** The documents and briefs that opening a specialist's brief needs. */
export const designDocuments = [documents.plan, documents.boundaries, documents.assumptions]
export const designBriefs = [keys.plan, keys.lead]

/** Starts the design: boundaries first, once for the whole run; then one specialist for each workstream. */
export function design(view: View, wave: number, streams: readonly Designed[]): readonly Decision[] {
  if (streams.length === 0) return []
  const { lead } = runOf(view)
  if (lead === 'done') return startSpecialists(view, wave, streams)
  return lead === 'asked' ? [] : [startLead(view), addStep(view, leadStep(view))].flat()
}

const startLead = (view: View): Decision =>
  log(line('T2', 'LEAD_START', 'Lead Architect may start'), [changedRun(view, { lead: 'asked' })])

const leadStep = (view: View): Step => ({
  key: keys.lead,
  phase: 't2_lead',
  tier: 't2',
  title: 'Draw the boundaries',
  objective: 'Define which domain owns what, where the hard boundaries are, and which assumptions all of them share.',
  part: runPart,
  label: 'lead',
  ownerId: view.found.briefs[keys.plan]?.id ?? null,
  inputs: { plan: view.found.documents[documents.plan] },
})

export function publishBoundaries(brief: Brief, bounds: Bounds): readonly Decision[] {
  return [
    { kind: 'write_document', brief, name: documents.boundaries, content: bounds.domain_boundaries },
    { kind: 'write_document', brief, name: documents.assumptions, content: bounds.shared_assumptions },
    passStep(brief),
    log(line('T2', 'BOUNDS_READY', 'Domain boundaries + shared assumptions published', { brief })),
  ]
}

export function startSpecialists(view: View, wave: number, streams: readonly Designed[]): readonly Decision[] {
  const domains = listed(
    streams.map(({ data }) => data.domain),
    8,
  )
  const how = streams.length === 1 ? '' : ' (parallel)'
  const part = partOf(view, wavePart(wave))
  return [
    log(line('T2', 'SPEC_START', `${counted(streams.length, 'specialist')} may start${how}: ${domains}`), [
      changed<WaveData>(part, { designing: [...dataOf<WaveData>(part).designing, ...streams.map(({ id }) => id)] }),
    ]),
    addStep(view, ...streams.map((stream) => specialistStep(view, wave, stream))),
  ]
}

export function specialistStep(view: View, wave: number, { id, data }: Designed): Step {
  return {
    key: keys.specialist(id),
    phase: 't2_specialist',
    tier: 't2',
    title: `Design ${data.name}`,
    objective: `Propose the architecture of "${data.name}" within its boundary, and the squads that build it.`,
    part: wavePart(wave),
    label: `specialist ${id}`,
    workstream: id,
    ownerId: (view.found.briefs[keys.lead] ?? view.found.briefs[keys.plan])?.id ?? null,
    personality: data.specialist,
    domain: data.domain,
    inputs: { ...sharedInputs(view, id, data) },
  }
}

/** Returns the inputs that every designer and squad of a workstream gets about its surroundings. */
export function sharedInputs(view: View, id: string, data: WorkstreamData): Record<string, unknown> {
  const boundaries = view.found.documents[documents.boundaries] as DomainBoundaries | undefined
  const boundary = boundaries?.domains.find(({ domain }) => domain.toLowerCase() === data.domain.toLowerCase())
  const assumptions = view.found.documents[documents.assumptions]
  return {
    workstream: id,
    name: data.name,
    tier_path: data.path,
    notes: plannedWorkstream(view, id)?.notes ?? '',
    ...(boundary === undefined ? {} : { boundary }),
    ...(assumptions === undefined ? {} : { shared_assumptions: assumptions }),
  }
}

/** Returns a workstream as T1 planned it; a replacement has the plan of the one it replaces. */
export function plannedWorkstream(view: View, id: string): Workstream | undefined {
  const plan = view.found.documents[documents.plan] as TierPlan | undefined
  const first = id.replace(/-r\d+$/, '')
  return (
    plan?.workstreams.find((workstream) => workstream.id === id) ??
    plan?.workstreams.find((workstream) => workstream.id === first || workstream.id.slice(0, 52) === first)
  )
}

/** Returns the squads of a proposal, one for each id even if the proposal repeats an id. */
export const uniqueSquads = ({ t3_squads: squads }: Proposal): Squad[] => [
  ...new Map(squads.map((squad) => [squad.id, squad])).values(),
]
