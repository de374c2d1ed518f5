import { dataOfBrief, TierPlan, type Workstream } from '../../src/playbooks/tiered/contract.ts'
import type { TierName } from '../../src/team/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import type { Part } from '../../src/work/parts/contract.ts'
import { stateOfAll } from '../briefs/progress.ts'
import type { State } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { newestDocument, type ParsedDocument } from './documents.ts'

/** The division of work in a tiered run, derived from its briefs and its plan. */
export interface Team {
  readonly plan: ParsedDocument<TierPlan> | null
  /** The plan has not been criticised by its author yet. */
  readonly isDraft: boolean
  /** Steps of T1 and T2, in the order of their creation. */
  readonly t1: readonly HeldBrief[]
  readonly t2: readonly HeldBrief[]
  readonly hasT2: boolean
  readonly streams: readonly Stream[]
  /** Verifying briefs, by the brief that they verify. */
  readonly verifiers: ReadonlyMap<string, readonly HeldBrief[]>
}

export interface Stream {
  readonly id: string
  readonly planned: Workstream | null
  readonly path: readonly string[]
  readonly squads: readonly Squad[]
  /** The part of the run that holds its state, once it has begun. */
  readonly part: Pick<Part, 'status' | 'heldBy'> | null
}

export interface Squad {
  /** `<workstream>/<squad>` */
  readonly ref: string
  readonly workstream: string
  readonly id: string
  readonly name: string
  /** The key of the part in which it agrees with other squads. */
  readonly mesh: string | null
  /** The steps for planning, agreement and verdict. */
  readonly steps: readonly HeldBrief[]
  readonly tasks: readonly HeldBrief[]
}

type Rows = Pick<Inspection, 'briefs' | 'artifacts' | 'parts'>

export function teamOf({ briefs, artifacts, parts }: Rows): Team {
  const final = newestDocument({ artifacts }, 't1_plan', TierPlan)
  const plan = final ?? newestDocument({ artifacts }, 't1_plan_draft', TierPlan)
  const squads = squadsOf(briefs)
  const streams = streamsOf(plan?.content ?? null, squads, briefs, parts)
  const of = (tier: TierName): HeldBrief[] =>
    briefs.filter((brief) => dataOfBrief(brief).tier === tier && squadRef(brief) === null)
  const t2 = of('t2')
  return {
    plan,
    isDraft: final === null && plan !== null,
    t1: of('t1'),
    t2,
    hasT2: t2.length > 0 || streams.some(({ path }) => path.includes('t2')),
    streams,
    verifiers: Map.groupBy(
      briefs.filter((brief) => brief.verifies !== null),
      (brief) => brief.verifies as string,
    ),
  }
}

function squadsOf(briefs: readonly HeldBrief[]): Map<string, Squad> {
  const found = new Map<string, { squad: Squad; steps: HeldBrief[]; tasks: HeldBrief[] }>()
  for (const brief of briefs) {
    const ref = squadRef(brief)
    if (ref === null || brief.verifies !== null) continue
    const known = found.get(ref)
    const steps = known?.steps ?? []
    const tasks = known?.tasks ?? []
    ;(dataOfBrief(brief).tier === 't4' ? tasks : steps).push(brief)
    const input = brief.inputs['squad']
    const [workstream = '', id = ''] = ref.split('/')
    const squad = known?.squad ?? { ref, workstream, id, name: id, mesh: null, steps, tasks }
    found.set(ref, {
      squad: {
        ...squad,
        name: isRecord(input) && typeof input['name'] === 'string' ? input['name'] : squad.name,
        // Squads that were defined again agree in another part: the newest applies.
        mesh: brief.part?.startsWith('mesh:') === true ? brief.part : squad.mesh,
      },
      steps,
      tasks,
    })
  }
  return new Map([...found].map(([ref, { squad }]) => [ref, squad]))
}

/** Returns the squad of a brief: by its part, or as the squad that its author leads. */
export function squadRef(brief: Pick<HeldBrief, 'part' | 'inputs' | 'data'>): string | null {
  const { tier, workstream } = dataOfBrief(brief)
  if (brief.part?.startsWith('sq:') === true) return tier === 't1' || tier === 't2' ? null : brief.part.slice(3)
  const input = brief.inputs['squad']
  return tier === 't3' && workstream !== null && isRecord(input) && typeof input['id'] === 'string'
    ? `${workstream}/${input['id']}`
    : null
}

/**
 * Returns the workstreams in the order of the plan, then those it does not contain, such as one that was planned again.
 */
function streamsOf(
  plan: TierPlan | null,
  squads: ReadonlyMap<string, Squad>,
  briefs: readonly HeldBrief[],
  parts: readonly Part[],
): Stream[] {
  const byStream = Map.groupBy(squads.values(), ({ workstream }) => workstream)
  const planned = new Map(plan === null ? [] : workstreamsInOrder(plan).map((stream) => [stream.id, stream]))
  const paths = new Map<string, readonly string[]>()
  for (const brief of briefs) {
    const path = brief.inputs['tier_path']
    const { workstream } = dataOfBrief(brief)
    if (workstream !== null && Array.isArray(path)) paths.set(workstream, path.map(String))
  }
  const known = new Map(parts.map((part) => [part.key, part]))
  const ids = new Set([
    ...planned.keys(),
    ...briefs.flatMap(({ groupKey: workstream }) => (workstream === null ? [] : [workstream])),
  ])
  return [...ids].map((id) => ({
    id,
    planned: planned.get(id) ?? null,
    path: paths.get(id) ?? planned.get(id)?.tier_path ?? [],
    squads: byStream.get(id) ?? [],
    part: known.get(`ws:${id}`) ?? null,
  }))
}

/** Returns the workstreams in the order of their groups. */
export function workstreamsInOrder(plan: TierPlan): Workstream[] {
  const order = new Map(plan.parallelism.sequence.map((group, index) => [group, index]))
  const last = order.size
  return plan.workstreams.toSorted(
    (a, b) => (order.get(a.parallel_group) ?? last) - (order.get(b.parallel_group) ?? last),
  )
}

/** Returns the state of a workstream, which is done only after its work was merged with that of the others. */
export function streamState({ squads, part }: Pick<Stream, 'squads' | 'part'>): State {
  if (part?.status === 'cancelled') return { tone: 'off', text: 'cancelled' }
  const state = stateOfAll(squads.flatMap(({ steps, tasks }) => [...steps, ...tasks]))
  if (part === null || state.tone === 'bad' || state.tone === 'waiting') return state
  if (part.status === 'done') return { tone: 'good', text: 'done' }
  return state.tone === 'good' ? { tone: 'working', text: part.heldBy === 'merge' ? 'being merged' : 'active' } : state
}

/** Returns the nodes of the tree that a gate holds: `run`, `T1`, `T2`, or squads by their ref. */
export function nodesOfGate(gate: Pick<GateView, 'gate' | 'boundary'>, team: Pick<Team, 'streams'>): string[] {
  const part = gate.boundary.startsWith('part:') ? gate.boundary.slice('part:'.length) : null
  if (part?.startsWith('sq:') === true) return [part.slice('sq:'.length)]
  if (part?.startsWith('mesh:') === true)
    return team.streams.flatMap(({ squads }) => squads.filter(({ mesh }) => mesh === part).map(({ ref }) => ref))
  if (/^t1_|^merge$|^acceptance$/.test(gate.gate)) return ['T1']
  if (gate.gate.startsWith('t2_')) return ['T2']
  return ['run']
}

/** Returns the id that the planner gave to a task. */
export const taskId = (brief: HeldBrief): string => {
  const id = brief.inputs['task_id']
  return typeof id === 'string' ? id : (brief.key.split(':').at(-1) ?? brief.key)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
