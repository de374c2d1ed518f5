import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { stateOfAll, workersText } from '../briefs/progress.ts'
import { briefState } from '../briefs/state.ts'
import type { State } from '../parts/state.tsx'
import { addresses } from '../router.tsx'
import { type Edge, layersOf } from './layout.ts'

/** A box of the graph: a brief, or a group of briefs that is drawn as one. */
export interface GraphBox {
  readonly id: string
  readonly title: string
  readonly state: State
  /** null: a group, which opens into its briefs. */
  readonly to: string | null
  readonly lane: string | null
}

export interface GraphModel {
  readonly boxes: readonly GraphBox[]
  readonly edges: readonly Edge[]
  /** From top to bottom; empty for a graph without lanes. */
  readonly lanes: readonly string[]
}

/** More boxes are unreadable, and drawing them takes longer than a frame. */
export const maxBoxes = 300

/** A group of briefs, by its key. */
export interface Grouping {
  readonly key: string
  readonly title: string
  readonly lane?: string | null
}

/**
 * Draws each brief as a box, or its group where it has one that is not opened. Edges between briefs become edges between
 * their boxes.
 */
export function boxesOf(
  briefs: readonly HeldBrief[],
  edges: readonly Edge[],
  groupOf: (brief: HeldBrief) => Grouping | null,
  laneOf: (brief: HeldBrief) => string | null,
  opened: ReadonlySet<string>,
): Pick<GraphModel, 'boxes' | 'edges'> {
  const groups = new Map<string, { grouping: Grouping; members: HeldBrief[] }>()
  const boxOf = new Map<string, string>()
  const boxes: GraphBox[] = []
  for (const brief of briefs) {
    const grouping = groupOf(brief)
    if (grouping === null || opened.has(grouping.key)) {
      boxOf.set(brief.id, brief.id)
      boxes.push({
        id: brief.id,
        title: brief.title,
        state: briefState(brief),
        to: addresses.brief(brief.runId, brief.id),
        lane: laneOf(brief),
      })
      continue
    }
    boxOf.set(brief.id, grouping.key)
    const group = groups.get(grouping.key) ?? { grouping, members: [] }
    group.members.push(brief)
    groups.set(grouping.key, group)
  }
  for (const { grouping, members } of groups.values())
    boxes.push({
      id: grouping.key,
      title: grouping.title,
      state: { ...stateOfAll(members), text: workersText(members) },
      to: null,
      lane: grouping.lane ?? null,
    })
  const drawn = new Map<string, Edge>()
  for (const { briefId, afterId } of edges) {
    const [to, from] = [boxOf.get(briefId), boxOf.get(afterId)]
    if (to !== undefined && from !== undefined && to !== from)
      drawn.set(`${from} ${to}`, { briefId: to, afterId: from })
  }
  return { boxes, edges: [...drawn.values()] }
}

/** At most this many levels and groups of a level are drawn; a large run has fewer, larger groups. */
const mostGroups = 100
const leastInGroup = 25

/** Draws the briefs of a run by their dependencies. Of a large run each level is one box, or several for a wide level. */
export function flatModel(
  briefs: readonly HeldBrief[],
  dependencies: readonly Edge[],
  opened: ReadonlySet<string>,
): GraphModel {
  const work = briefs.filter((brief) => brief.kind !== 'verify')
  const groups = work.length > maxBoxes ? levelsOf(work, dependencies) : new Map<string, Grouping>()
  const { boxes, edges } = boxesOf(
    work,
    dependencies,
    ({ id }) => groups.get(id) ?? null,
    () => null,
    opened,
  )
  return { boxes, edges, lanes: [] }
}

function levelsOf(work: readonly HeldBrief[], dependencies: readonly Edge[]): Map<string, Grouping> {
  const known = new Set(work.map(({ id }) => id))
  const layers = layersOf(
    work,
    dependencies.filter(({ briefId, afterId }) => known.has(briefId) && known.has(afterId)),
  )
  const perBox = Math.ceil(layers.length / mostGroups)
  // Parts of several merged levels could depend on each other both ways, so a merged level stays whole.
  const size = perBox > 1 ? Infinity : Math.max(leastInGroup, Math.ceil(work.length / mostGroups))
  const groups = new Map<string, Grouping>()
  for (let level = 0; level < layers.length; level += perBox) {
    const members = layers.slice(level, level + perBox).flat()
    const name = perBox > 1 ? `Levels ${level + 1} to ${Math.min(level + perBox, layers.length)}` : `Level ${level + 1}`
    members.forEach((brief, index) => {
      const part = Math.floor(index / size)
      const title = members.length > size ? `${name}, part ${part + 1}` : name
      groups.set(brief.id, { key: `level:${level}:${part}`, title })
    })
  }
  return groups
}
