import type { Brief } from '../../work/briefs/contract.ts'
import type { NewBrief, Revised, View } from '../contract.ts'
import type { BriefData, Task } from './contract.ts'
import { evidenceOf, faultsOfProofs } from './base-evidence.ts'
import { keys, scopeOf, squadPart, unusedKey } from './base-names.ts'
import { budgetOf } from './base-state.ts'
import { placeOf } from './base-steps.ts'

export interface SquadOf {
  readonly workstream: string
  readonly squad: string
  readonly domain: string
  readonly path: readonly string[]
  readonly ownerId: string | null
}

/** Returns all faults of a list of tasks; `known` are ids outside the list that tasks may depend on. */
export function faultsOfTasks(tasks: readonly Task[], known: readonly string[] = []): string[] {
  if (tasks.length === 0) return ['the list has no tasks']
  const awaited = tasks.reduce((sum, { depends_on }) => sum + depends_on.length, 0)
  if (awaited > mostAwaited)
    return [
      `the list has ${awaited} entries in depends_on, more than ${mostAwaited}: leave out dependencies that follow from others`,
    ]
  const others = new Set(known)
  const ids = new Set<string>()
  const twice = new Set<string>()
  for (const { id } of tasks) (ids.has(id) ? twice : ids).add(id)
  const unknown = tasks.flatMap(({ id, depends_on }) =>
    depends_on
      .filter((other) => !ids.has(other) && !others.has(other))
      .map((other) => `task "${id}" depends on "${other}", which is not in the list`),
  )
  const cycle = cycleOf(tasks)
  return [
    ...[...twice].map((id) => `two tasks have the id "${id}"`),
    ...unknown,
    ...(cycle === null ? [] : [`cycle: ${cycle.join('→')}`]),
    ...tasks.flatMap(({ id, evidence_required }) => faultsOfProofs(`task "${id}"`, evidence_required)),
  ]
}

/** Maximum number of dependencies: each is a row that is read whenever a task ends. */
const mostAwaited = 20_000

/** Returns the ids of a cycle, with the first repeated at the end. Without recursion: a list may be a chain of thousands. */
function cycleOf(tasks: readonly Task[]): string[] | null {
  const before = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]))
  const done = new Set<string>()
  for (const { id } of tasks) {
    const trail: string[] = []
    const onTrail = new Set<string>()
    const next: number[] = []
    const enter = (each: string): void => {
      trail.push(each)
      onTrail.add(each)
      next.push(0)
    }
    if (!done.has(id)) enter(id)
    while (trail.length > 0) {
      const current = trail.at(-1) as string
      const follow = (before.get(current) ?? [])[next.at(-1) as number]
      next[next.length - 1] = (next.at(-1) as number) + 1
      if (follow === undefined) {
        done.add(current)
        onTrail.delete(current)
        trail.pop()
        next.pop()
      } else if (onTrail.has(follow)) return [...trail.slice(trail.indexOf(follow)), follow]
      else if (!done.has(follow) && before.has(follow)) enter(follow)
    }
  }
  return null
}

export const taskIdOf = (brief: Brief): string => String(brief.inputs['task_id'] ?? scopeOf(brief))

/** Returns tasks as briefs of a squad that has had `workers` tasks before; `named` maps task ids to brief keys. */
export function taskBriefs(
  view: View,
  of: SquadOf,
  tasks: readonly Task[],
  named: ReadonlyMap<string, string>,
  {
    workers,
    replaces = null,
    ...more
  }: { workers: number; replaces?: string | null } & Pick<NewBrief, 'status' | 'guidance'>,
): NewBrief[] {
  return tasks.map((task, index) => ({
    key: named.get(task.id) as string,
    kind: 'work',
    phase: 't4',
    part: squadPart(of.workstream, of.squad),
    ownerId: of.ownerId,
    inputs: inputsOf(of, task),
    retryBudget: budgetOf(view),
    ...revised(task, named),
    ...placeOf(view, {
      tier: 't4',
      workstream: of.workstream,
      domain: of.domain,
      personality: task.agent_personality,
      label: `implementer-${workers + index + 1} ${task.id}`,
      replaces,
      task: dataOfTask(task),
    }),
    ...more,
  }))
}

export const inputsOf = (of: Omit<SquadOf, 'ownerId'>, task: Task): Record<string, unknown> => ({
  workstream: of.workstream,
  squad: of.squad,
  domain: of.domain,
  tier_path: of.path,
  task_id: task.id,
  scope: task.scope,
  depends_on: task.depends_on,
})

/** Returns the fields of a brief that come from its task. */
export const revised = (task: Task, named: ReadonlyMap<string, string>): Revised => ({
  title: task.title,
  objective: task.objective,
  evidence: task.evidence_required.map(evidenceOf),
  after: task.depends_on.flatMap((id) => named.get(id) ?? []),
  data: dataOfTask(task),
})

const dataOfTask = (task: Task): Pick<BriefData, 'files' | 'flow'> => ({
  files: task.files,
  flow: task.depends_on.length > 0 ? 'pipeline' : task.mode,
})

/** Maps task ids to brief keys. A task that returns after it was dropped gets another brief. */
export function keysOf(
  of: Pick<SquadOf, 'workstream' | 'squad'>,
  tasks: readonly Pick<Task, 'id'>[],
  members: readonly Brief[],
): Map<string, string> {
  const living = members.filter(({ phase, status }) => phase === 't4' && status !== 'cancelled')
  const named = new Map(living.map((brief) => [taskIdOf(brief), brief.key]))
  const taken = new Set(members.map(({ key }) => key))
  for (const { id } of tasks) {
    if (named.has(id)) continue
    const key = unusedKey(keys.task(of.workstream, of.squad, id), taken)
    taken.add(key)
    named.set(id, key)
  }
  return named
}

export interface Overlap {
  readonly task: string
  readonly what: string
  readonly with: string
  readonly their: string
}

/** Maximum number of overlaps that a squad lead sees; more could not be settled one by one. */
const mostOverlaps = 200

export interface Overlaps {
  readonly shown: readonly Overlap[]
  readonly more: number
  /** Everything that peers claim as well: claim → peer → its first task. */
  readonly claimed: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Finds files and scopes that are on two lists: once for each task and peer, regardless of the peer's number of tasks. */
export function overlapsOf(tasks: readonly Task[], peers: ReadonlyMap<string, readonly Task[]>): Overlaps {
  const claims = new Map<string, Map<string, string>>()
  for (const [peer, theirs] of peers)
    for (const task of theirs)
      for (const what of claimsOf(task)) {
        const known = claims.get(what)
        if (known === undefined) claims.set(what, new Map([[peer, task.id]]))
        else if (!known.has(peer)) known.set(peer, task.id)
      }
  const shown: Overlap[] = []
  const claimed = new Map<string, ReadonlyMap<string, string>>()
  let count = 0
  for (const task of tasks)
    for (const claim of claimsOf(task)) {
      const theirs = claims.get(claim)
      if (theirs === undefined) continue
      claimed.set(claim, theirs)
      count += theirs.size
      for (const [peer, their] of theirs) {
        if (shown.length >= mostOverlaps) break
        shown.push({ task: task.id, what: whatOf(claim), with: peer, their })
      }
    }
  return { shown, more: count - shown.length, claimed }
}

export const whatOf = (claim: string): string => claim.replace(/^(?:file|scope) /, '')

const claimsOf = ({ scope, files }: Task): string[] => [
  ...new Set([`scope ${scope.trim().toLowerCase()}`, ...files.map((file) => `file ${file.replace(/^\.\//, '')}`)]),
]
