import { shorten } from '../../kernel/text.ts'
import type { PathAmendment } from '../../work/amendments/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, PartChange, View } from '../contract.ts'
import { type Proposal, dataOfBrief } from './contract.ts'
import {
  designBriefs,
  designDocuments,
  plannedWorkstream,
  sharedInputs,
  specialistStep,
  uniqueSquads,
} from './t2-design.ts'
import { documents, idOfWorkstream, keys, renamedSquads, runPart, unusedKey, workstreamPart } from './base-names.ts'
import { openStreams } from './t3-squads.ts'
import {
  above,
  changed,
  dataOf,
  type MeshData,
  own,
  runOf,
  type SquadData,
  type WaveData,
  waveNumber,
  type WorkstreamData,
} from './base-state.ts'
import { addStep, passStep, line, type Step, log } from './base-steps.ts'

/** An amendment is followed in the workstream's own part: a timer that fires at once brings its view. */
export const amendTimer = 'amended'

export const amendmentNeeds = ({ workstream }: PathAmendment): Needs => ({
  parts: [runPart, workstreamPart(workstream)],
})

/** Records an amendment: the tier above acknowledges it, and work that has not started takes the new path. */
export function onAmended(view: View, amendment: PathAmendment): readonly Decision[] {
  const { workstream, beforePath, afterPath, proposedBy, reason } = amendment
  const part = view.found.parts[workstreamPart(workstream)]
  if (part === undefined) return []
  const data = dataOf<WorkstreamData>(part)
  const by = afterPath.includes('t2') && !proposedBy.startsWith('t2') ? `t2/${workstream}` : 't1'
  return [
    log(
      line(
        'T1',
        'AMEND',
        `${workstream}: ${beforePath.join(' → ')} becomes ${afterPath.join(' → ')} (${proposedBy}: ${shorten(reason, 200)})`,
        // The service has already logged the change itself at level normal.
        { workstream, level: 'verbose' },
      ),
      [
        changed<WorkstreamData>(part, {
          path: afterPath,
          before: data.path,
          amended: (data.amended ?? 0) + 1,
          amendment: amendment.id,
          isDesigned: data.isDesigned && !(part.status === 'waiting' && afterPath.includes('t2')),
        }),
      ],
    ),
    { kind: 'acknowledge', amendment, by },
    ...(part.status === 'open' && data.path.join() !== afterPath.join()
      ? [{ kind: 'start_timer', name: amendTimer, part: part.key, minutes: 0 } satisfies Decision]
      : []),
  ]
}

export function followNeeds(view: View): Needs {
  const part = own(view)
  return {
    groups: [idOfWorkstream(part.key)],
    partsBelow: [part.key, above(view, 'wave:').key],
    documents: designDocuments,
    briefs: designBriefs,
  }
}

/** Moves work that has not started to the new path; started work continues as it is. */
export function followAmendment(view: View): readonly Decision[] {
  const part = own(view)
  const id = idOfWorkstream(part.key)
  const data = dataOf<WorkstreamData>(part)
  const briefs = (view.found.groups?.[id] ?? []).filter(({ status }) => status !== 'cancelled')
  const planners = briefs.filter(({ phase }) => phase === 't3_plan')
  const isNew = (tier: string): boolean => data.path.includes(tier) && !(data.before ?? []).includes(tier)
  if (part.status !== 'open' || isFollowed(data)) return []
  if (isNew('t2') && planners.length > 0 && planners.every(isUntouched))
    return insertSpecialist(view, id, data, planners)
  return briefs.length > 0 && briefs.every(isUntouched) && !isShared(view, id)
    ? restart(view, id, data, briefs)
    : [log(line('T1', 'AMEND', `${id}: ${reasonOfNoEffect(view, data, briefs)}`, { workstream: id }), [follow(part)])]
}

const isFollowed = ({ amendment, followed }: WorkstreamData): boolean =>
  amendment !== undefined && amendment === followed

function follow(part: Part, data: Partial<WorkstreamData> = {}): PartChange {
  const { amendment } = dataOf<WorkstreamData>(part)
  return changed<WorkstreamData>(part, { ...data, ...(amendment === undefined ? {} : { followed: amendment }) })
}

/** Returns the reason for which an amendment has no effect now. A workstream that waits for the lead's boundaries takes its new path after them. */
const reasonOfNoEffect = (view: View, { isDesigned }: WorkstreamData, briefs: readonly Brief[]): string =>
  briefs.length === 0 && !isDesigned && runOf(view).lead === 'asked'
    ? 'it takes its new path when the boundaries are drawn'
    : 'too late, the work that it would change has started'

/** Reports whether a brief can still be replaced. A resolve brief cannot: others may wait for the same answer. */
const isUntouched = ({ attempts, status, phase }: Brief): boolean =>
  attempts === 0 && (status === 'pending' || status === 'draft') && phase !== 'resolve'

const meshesOf = (view: View, id: string) =>
  (view.found.partsBelow[above(view, 'wave:').key] ?? []).filter(
    ({ key, status, data }) =>
      key.startsWith('mesh:') &&
      status === 'open' &&
      (data as unknown as MeshData).squads.some(({ workstream }) => workstream === id),
  )

/** Reports whether other workstreams plan or design together with this one, and would lack its part. */
function isShared(view: View, id: string): boolean {
  const { designing } = dataOf<WaveData>(above(view, 'wave:'))
  if (designing.includes(id) && designing.length > 1) return true
  return meshesOf(view, id).some((mesh) => dataOf<MeshData>(mesh).squads.some(({ workstream }) => workstream !== id))
}

/** Adds a specialist; the squads stay as they are and wait for its design. */
function insertSpecialist(
  view: View,
  id: string,
  data: WorkstreamData,
  planners: readonly Brief[],
): readonly Decision[] {
  const step = insertedStep(view, id, data)
  return [
    log(line('T2', 'SPEC_START', `1 specialist may start: ${data.domain}`, { workstream: id }), [
      follow(own(view)),
      ...pathOfSquads(view, data),
    ]),
    addStep(view, step),
    ...planners.map((brief): Decision => ({
      kind: 'amend_brief',
      brief,
      after: [step.key],
      inputs: { tier_path: data.path, waits_for: [step.key] },
    })),
  ]
}

/** Returns the step of a specialist that was inserted later. It designs alone: the agreed architecture stays. */
function insertedStep(view: View, id: string, data: WorkstreamData): Step {
  const taken = new Set((view.found.groups?.[id] ?? []).map(({ key }) => key))
  const step = specialistStep(view, waveNumber(above(view, 'wave:')), { id, data })
  return {
    ...step,
    key: unusedKey(step.key, taken),
    part: workstreamPart(id),
    inputs: { ...step.inputs, inserted: true },
  }
}

const pathOfSquads = (view: View, { path }: WorkstreamData): PartChange[] =>
  (view.found.partsBelow[own(view).key] ?? [])
    .filter(({ status }) => status === 'open')
    .map((squad) => changed<SquadData>(squad, { path }))

export const insertedNeeds = (view: View, brief: Brief): Needs => ({
  groups: [brief.groupKey as string],
  partsBelow: [above(view, 'wave:').key],
  documents: designDocuments,
})

/** Hands the design of an inserted specialist to the squads that wait for it, or opens those that it names. */
export function onInsertedProposal(view: View, brief: Brief, proposal: Proposal): readonly Decision[] {
  const id = dataOfBrief(brief).workstream as string
  const waiting = (view.found.groups?.[id] ?? []).filter(
    ({ phase, status }) => phase === 't3_plan' && status === 'pending',
  )
  const slice = {
    slice: { summary: proposal.decisions.join('\n'), components: proposal.components },
    interface_contracts: proposal.interface_contracts,
  }
  return [
    { kind: 'write_document', brief, name: documents.proposal(id), content: proposal },
    log(line('T2', 'SPEC_DONE', `${id} architecture draft ready`, { brief })),
    ...(waiting.length > 0
      ? waiting.map((planner): Decision => ({ kind: 'amend_brief', brief: planner, inputs: slice }))
      : openInserted(view, brief, proposal, slice)),
    passStep(brief),
  ]
}

function openInserted(
  view: View,
  brief: Brief,
  proposal: Proposal,
  slice: Readonly<Record<string, unknown>>,
): readonly Decision[] {
  const id = dataOfBrief(brief).workstream as string
  const data = dataOf<WorkstreamData>(own(view))
  const turn = `p${(data.amended ?? 0) + 1}`
  const named = uniqueSquads(proposal).map((squad) => ({ ...squad, workstream: id, squad: squad.id }))
  const squads = renamedSquads(named, turn).map(({ squad, name, scope }) => ({ id: squad, name, scope }))
  const stream = { id, data, squads, slice: { ...sharedInputs(view, id, data), ...slice } }
  const wave = waveNumber(above(view, 'wave:'))
  return openStreams(view, wave, [{ ...stream, planned: plannedWorkstream(view, id), ownerId: brief.id }])
}

/** Starts a workstream again on its new path, because none of its work has started. */
function restart(view: View, id: string, data: WorkstreamData, briefs: readonly Brief[]): readonly Decision[] {
  const wave = above(view, 'wave:')
  const squads = (view.found.partsBelow[own(view).key] ?? []).filter(({ status }) => status === 'open')
  const { designing } = dataOf<WaveData>(wave)
  const begun = log({ tier: 'T1', level: 'verbose', workstream: id, message: `${id} starts again on its new path` }, [
    follow(own(view), { isDesigned: true }),
    changed<WaveData>(wave, { designing: designing.filter((other) => other !== id) }),
    ...[...squads, ...meshesOf(view, id)].map(({ key }) => ({ key, status: 'cancelled' as const })),
  ])
  const squad = { id: `main-p${(data.amended ?? 0) + 1}`, name: data.name, scope: data.name }
  return [
    ...(briefs.length === 0
      ? []
      : [{ kind: 'cancel_briefs', briefs, reason: 'its workstream takes another path' } satisfies Decision]),
    begun,
    ...(data.path.includes('t2')
      ? [addStep(view, insertedStep(view, id, data))]
      : openStreams(view, waveNumber(wave), [
          {
            id,
            data,
            squads: [squad],
            planned: plannedWorkstream(view, id),
            ownerId: view.found.briefs[keys.plan]?.id ?? null,
          },
        ])),
  ]
}
