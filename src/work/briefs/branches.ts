import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { bug } from '../../kernel/errors.ts'
import { featureBranch, taskBranch } from '../../repositories/port.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Brief } from './contract.ts'
import { findBrief, isBranchTaken, listBriefsById, listBriefsOfGroups, listDependenciesOf } from './store.ts'
import type { Part } from '../parts/contract.ts'
import { findPart } from '../parts/store.ts'
import type { Run } from '../runs/contract.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { RunScope } from '../scope.ts'

/**
 * Returns the start commit and the branch of a clone when its brief is first claimed. The remainder of a brief and its
 * verifier continue on the branch of that brief. A task starts from its first unmerged predecessor, or from the
 * head of its workstream. A step of a playbook only reads, so it starts from the newest commit each time, unless its
 * session is resumed.
 */
export async function beginningOf(
  { tx, run, playbook }: RunScope,
  brief: Brief,
  { isResumed }: { isResumed: boolean },
): Promise<Partial<Brief>> {
  if (run.repository === null) return {}
  const begins = brief.startCommit === null
  if (!begins && (isResumed || !isLook(brief))) return {}
  const place = brief.verifies ?? brief.remainderOf
  const placed = place === null ? undefined : await findBrief(tx, place)
  if (placed !== undefined && placed.startCommit !== null) {
    const startCommit = brief.verifies === null ? placed.startCommit : (placed.branchCommit ?? placed.startCommit)
    return { startCommit, branch: placed.branch }
  }
  const part = await branchPartOf(tx, playbook, brief)
  const newest = part?.head ?? run.head ?? run.repository.base
  if (part === undefined || brief.kind !== 'work') return { startCommit: newest }
  const first = (await predecessorsOf(tx, brief)).find(isUnmerged)
  return { startCommit: first?.branchCommit ?? newest, branch: await branchFor(tx, playbook, brief, part) }
}

/** Reports whether a brief is a step of a playbook: changes in its clone are discarded. */
export const isLook = ({ kind, phase }: Brief): boolean => kind === 'plan' && phase !== null

export const branchOf = (run: Pick<Run, 'id'>, brief: Brief): string =>
  brief.branch ?? featureBranch(run.id, brief.remainderOf ?? brief.verifies ?? brief.id)

/** Returns the part whose branch a brief works on; undefined: it works on the run's. */
export async function branchPartOf(tx: ReadTx, { branches }: Playbook, brief: Brief): Promise<Part | undefined> {
  const key = branches?.partOf(brief) ?? null
  return key === null ? undefined : findPart(tx, brief.runId, key)
}

/** Returns the name of a part with a branch of its own. */
export function branchNameOf({ name, branches }: Playbook, { key }: Pick<Part, 'key'>): string {
  const known = branches?.nameOf(key) ?? null
  if (known === null) throw bug(`the playbook "${name}" has no branch for ${key}`)
  return known
}

/** Returns a branch name that is free, because tasks of two squads may have the same name. */
async function branchFor(tx: Tx, playbook: Playbook, brief: Brief, part: Part): Promise<string> {
  const task = playbook.branches?.taskOf(brief) ?? brief.key
  const plain = taskBranch(brief.runId, branchNameOf(playbook, part), task)
  if (!(await isBranchTaken(tx, brief.runId, plain))) return plain
  return `${plain}-${brief.id.slice(-8).toLowerCase()}`
}

const isUnmerged = ({ status }: Brief): boolean => status !== 'verified' && status !== 'done'

/** Lists the briefs that a task depends on, the newest of each branch. */
async function predecessorsOf(tx: ReadTx, brief: Brief): Promise<Brief[]> {
  const edges = (await listDependenciesOf(tx, brief.id)).filter(({ met }) => met)
  if (edges.length === 0) return []
  const before = await listBriefsById(
    tx,
    edges.map(({ afterId }) => afterId),
  )
  const byBranch = new Map<string, Brief>()
  for (const each of before)
    if (each.kind === 'work' && each.branch !== null && each.branchCommit !== null && each.status !== 'cancelled')
      byBranch.set(each.branch, each)
  return [...byBranch.values()].filter(({ branch }) => branch !== brief.branch)
}

/** Commits that a task's clone lacks. */
export interface Missing {
  /** Predecessors with work that is not in the clone: further ones, and those that were done again since. */
  readonly before: readonly { readonly name: string; readonly commit: string }[]
  /** For a task that is done again: the head of the run, if the clone lacks it. */
  readonly since: string | null
}

export async function missingIn(
  deps: { readonly db: Db; readonly repositories?: Repositories },
  playbook: Playbook,
  run: Run,
  brief: Brief,
): Promise<Missing> {
  const { repository, head } = run
  const own = brief.branchCommit ?? brief.startCommit
  const { repositories } = deps
  if (repository === null || repositories === undefined || own === null || !isTask(playbook, brief))
    return { before: [], since: null }
  const isThere = (commit: string): Promise<boolean> => repositories.contains(repository.mirror, own, commit)
  const before: Missing['before'][number][] = []
  for (const each of await deps.db.read((tx) => predecessorsOf(tx, brief)))
    if (!(await isThere(each.branchCommit as string)))
      before.push({ name: playbook.describe?.(each).name ?? each.key, commit: each.branchCommit as string })
  return { before, since: brief.attempts > 1 && head !== null && !(await isThere(head)) ? head : null }
}

const isTask = ({ branches }: Playbook, brief: Brief): boolean =>
  brief.kind === 'work' && (branches?.partOf(brief) ?? null) !== null

export interface Owners {
  /** The brief that owns the domain of the task that was merged last. */
  readonly domain: string
  readonly result: string
}

/** Returns the owners of a part's merges: the author responsible for its domain, and the top of the hierarchy. */
export async function ownersOf(tx: ReadTx, playbook: Playbook, part: Part): Promise<Owners> {
  const tasks = await listBriefsOfGroups(tx, part.runId, [branchNameOf(playbook, part)])
  const work = tasks.filter(({ kind }) => kind === 'work')
  // After a conflict the only task may have been reset to its start; its earlier merged work still exists.
  const last = work.findLast(({ branchCommit }) => branchCommit !== null) ?? work.at(-1)
  if (last === undefined) throw bug(`${part.key} of ${part.runId} has commits and no tasks`)
  const chain = [last]
  for (let above = last.ownerId; above !== null && chain.length < 10;) {
    const owner = await findBrief(tx, above)
    if (owner === undefined) break
    chain.push(owner)
    above = owner.ownerId
  }
  const top = chain.at(-1) as Brief
  return { domain: (chain.find((each) => playbook.branches?.ownsDomain(each)) ?? top).id, result: top.id }
}
