import type { Brief } from '../../work/briefs/contract.ts'
import type { NewBrief, Revised, View } from '../contract.ts'
import type { Task } from './contract.ts'
import { evidenceOf, faultsOfProofs } from './evidence.ts'
import { keys, scopeOf, squadPart, unusedKey } from './names.ts'
import { budgetOf } from './state.ts'

export interface SquadOf {
  readonly workstream: string
  readonly squad: string
  readonly domain: string
  readonly path: readonly string[]
  readonly ownerId: string | null
}

/** Everything that is wrong with a list of tasks; `known` are ids that may be waited for besides. */
export function faultsOfTasks(tasks: readonly Task[], known: readonly string[] = []): string[] {
  if (tasks.length === 0) return ['the list has no tasks']
  const ids = new Set<string>()
  const twice = new Set<string>()
  for (const { id } of tasks) (ids.has(id) ? twice : ids).add(id)
  const unknown = tasks.flatMap(({ id, depends_on }) =>
    depends_on
      .filter((other) => !ids.has(other) && !known.includes(other))
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

/** The ids on a circle, the first again at its end. Without recursion: a list may be a chain of thousands. */
function cycleOf(tasks: readonly Task[]): string[] | null {
  const before = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]))
  const done = new Set<string>()
  for (const { id } of tasks) {
    const trail: string[] = []
    const next: number[] = []
    const enter = (each: string): void => {
      trail.push(each)
      next.push(0)
    }
    if (!done.has(id)) enter(id)
    while (trail.length > 0) {
      const current = trail.at(-1) as string
      const follow = (before.get(current) ?? [])[next.at(-1) as number]
      next[next.length - 1] = (next.at(-1) as number) + 1
      if (follow === undefined) {
        done.add(current)
        trail.pop()
        next.pop()
      } else if (trail.includes(follow)) return [...trail.slice(trail.indexOf(follow)), follow]
      else if (!done.has(follow) && before.has(follow)) enter(follow)
    }
  }
  return null
}

export const taskIdOf = (brief: Brief): string => String(brief.inputs['task_id'] ?? scopeOf(brief))

/** The tasks as briefs of a squad that has had `workers` already; `named` says what each is called. */
export function taskBriefs(
  view: View,
  of: SquadOf,
  tasks: readonly Task[],
  named: ReadonlyMap<string, string>,
  { workers, ...more }: { workers: number } & Pick<NewBrief, 'status' | 'replaces' | 'guidance'>,
): NewBrief[] {
  return tasks.map((task, index) => ({
    key: named.get(task.id) as string,
    kind: 'work',
    tier: 't4',
    phase: 't4',
    part: squadPart(of.workstream, of.squad),
    workstream: of.workstream,
    ownerId: of.ownerId,
    domain: of.domain,
    label: `worker-${workers + index + 1} ${task.id}`,
    inputs: inputsOf(of, task),
    retryBudget: budgetOf(view),
    ...revised(task, named),
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

/** A task as its brief says it. */
export const revised = (task: Task, named: ReadonlyMap<string, string>): Revised => ({
  title: task.title,
  objective: task.objective,
  files: task.files,
  flow: task.depends_on.length > 0 ? 'pipeline' : task.mode,
  evidence: task.evidence_required.map(evidenceOf),
  after: task.depends_on.flatMap((id) => named.get(id) ?? []),
  personality: task.agent_personality,
})

/** Task id → key of its brief. One that comes back after it was dropped is another brief. */
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

/** The same file, or the same scope, on two lists. */
export function overlapsOf(tasks: readonly Task[], peers: ReadonlyMap<string, readonly Task[]>): Overlap[] {
  const claims = new Map<string, { peer: string; task: string }[]>()
  for (const [peer, theirs] of peers)
    for (const task of theirs)
      for (const what of claimsOf(task)) claims.set(what, [...(claims.get(what) ?? []), { peer, task: task.id }])
  return tasks.flatMap((task) =>
    claimsOf(task).flatMap((what) =>
      (claims.get(what) ?? []).map((claim) => ({
        task: task.id,
        what: what.replace(/^(?:file|scope) /, ''),
        with: claim.peer,
        their: claim.task,
      })),
    ),
  )
}

const claimsOf = ({ scope, files }: Task): string[] => [
  ...new Set([`scope ${scope.trim().toLowerCase()}`, ...files.map((file) => `file ${file.replace(/^\.\//, '')}`)]),
]
