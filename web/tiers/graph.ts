import { dataOfBrief } from '../../src/playbooks/tiered/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Inspection } from '../queries.ts'
import { boxesOf, type GraphModel, type Grouping, maxBoxes } from '../graph/model.ts'
import type { Edge } from '../graph/layout.ts'
import { squadRef } from './team.ts'

const lanes = ['T1', 'T2', 'T3', 'T4', 'T5']

const laneOf = (brief: HeldBrief): string => dataOfBrief(brief).tier.toUpperCase()

/**
 * Draws a tiered run in lanes from T1 to T5. The verifiers of a squad are one box. Of a large run the tasks of a squad
 * are one box too, and of a very large one all briefs of a step.
 */
export function tieredModel(
  { briefs, dependencies }: Pick<Inspection, 'briefs' | 'dependencies'>,
  opened: ReadonlySet<string>,
): GraphModel {
  const edges = [...dependencies, ...flowOf(briefs)]
  const models = [bySquad(false), bySquad(true), byStep].map((groupOf) =>
    boxesOf(briefs, edges, groupOf, laneOf, opened),
  )
  const readable = models.find(({ boxes }) => boxes.length <= maxBoxes) ?? models.at(-1)
  return { boxes: readable?.boxes ?? [], edges: readable?.edges ?? [], lanes }
}

const bySquad =
  (withTasks: boolean) =>
  (brief: HeldBrief): Grouping | null => {
    const { tier } = dataOfBrief(brief)
    const squad = squadRef(brief)
    if (tier === 't5') return { key: `t5:${squad}`, title: `Verify ${squad ?? 'the work'}`, lane: 'T5' }
    return withTasks && tier === 't4' ? { key: `t4:${squad}`, title: `Tasks of ${squad}`, lane: 'T4' } : null
  }

const byStep = (brief: HeldBrief): Grouping => {
  const { tier } = dataOfBrief(brief)
  const step = stepTitles[brief.phase ?? ''] ?? (tier === 't5' ? 'Verify the tasks' : 'Decide')
  return { key: `step:${tier}:${brief.phase}`, title: step, lane: laneOf(brief) }
}

const stepTitles: Readonly<Record<string, string>> = {
  t1_plan: 'Plan the work',
  t1_critique: 'Criticise the plan',
  t1_accept: 'Accept',
  t2_lead: 'Draw the boundaries',
  t2_specialist: 'Design the workstreams',
  t2_synthesis: 'Bring the proposals together',
  t2_summary: 'Sum up the integration',
  t3_plan: 'Plan the tasks',
  t3_mesh: 'Agree on the tasks',
  t3_verdict: 'Judge the squads',
  t4: 'Do the tasks',
}

/** Returns the edges along which results are handed from step to step; a task also depends on other tasks. */
function flowOf(briefs: readonly HeldBrief[]): Edge[] {
  const ofPhase = Map.groupBy(briefs, (brief) => brief.phase ?? '')
  const all = (phase: string): readonly HeldBrief[] => ofPhase.get(phase) ?? []
  const isFinal = (brief: HeldBrief): boolean => brief.inputs['accept_scope'] !== 'architecture'
  const byPart = Map.groupBy(briefs, (brief) => `${brief.phase} ${brief.part}`)
  const inSquad = Map.groupBy(briefs, (brief) => `${brief.phase} ${squadRef(brief)}`)
  const byWave = Map.groupBy(briefs, (brief) => `${brief.phase} ${waveOf(brief)}`)
  const verifiers = Map.groupBy(
    briefs.filter((brief) => brief.verifies !== null),
    (brief) => brief.verifies,
  )
  const byId = new Map(briefs.map((brief) => [brief.id, brief]))
  const owner = (brief: HeldBrief): readonly { id: string }[] => {
    const found = byId.get(brief.ownerId ?? '')
    return found === undefined ? [] : [found]
  }
  const first = (...choices: (readonly { id: string }[] | undefined)[]): readonly { id: string }[] =>
    choices.find((some) => some !== undefined && some.length > 0) ?? []

  const before = (brief: HeldBrief): readonly { id: string }[] => {
    const squad = squadRef(brief)
    if (brief.verifies !== null) return [{ id: brief.verifies }]
    switch (brief.phase) {
      case 't1_plan':
        return []
      case 't1_critique':
        return first(all('t1_plan'), owner(brief))
      case 't2_lead':
        return first(all('t1_critique'), owner(brief))
      case 't2_specialist':
        return first(owner(brief), all('t2_lead'))
      case 't2_synthesis':
        return first(byPart.get(`t2_specialist ${brief.part}`), owner(brief))
      case 't1_accept':
        return isFinal(brief)
          ? first(all('t2_summary'), all('t3_verdict'), owner(brief))
          : first(byPart.get(`t2_synthesis ${brief.part}`), owner(brief))
      case 't3_plan':
        return first(
          byWave.get(`t1_accept ${waveOf(brief)}`)?.filter((each) => !isFinal(each)),
          owner(brief),
          all('t2_synthesis'),
        )
      case 't3_mesh':
        return first(inSquad.get(`t3_plan ${squad}`), owner(brief))
      case 't4':
        return first(inSquad.get(`t3_mesh ${squad}`), inSquad.get(`t3_plan ${squad}`), owner(brief))
      case 't3_verdict': {
        const tasks = inSquad.get(`t4 ${squad}`) ?? []
        return first(
          tasks.flatMap((task) => verifiers.get(task.id) ?? [task]),
          owner(brief),
        )
      }
      case 't2_summary':
        return first(all('t3_verdict'), owner(brief))
      default:
        return owner(brief)
    }
  }
  return briefs.flatMap((brief) => before(brief).map(({ id }) => ({ briefId: brief.id, afterId: id })))
}

/** Returns the number of the wave of a brief: `wave:2`, or the squads that agree in it: `mesh:2:…`. */
const waveOf = ({ part }: HeldBrief): string | null => /^(?:wave|mesh):(\d+)/.exec(part ?? '')?.[1] ?? null
