import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { bug } from '../../kernel/errors.ts'
import { featureBranch, taskBranch } from '../../repositories/port.ts'
import type { Brief } from './contract.ts'
import { findBrief, isBranchTaken, listBriefsById, listBriefsOfWorkstreams, listDependenciesOf } from './store.ts'
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
  { tx, run }: RunScope,
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
  const part = await workstreamOf(tx, brief)
  const newest = part?.head ?? run.head ?? run.repository.base
  if (part === undefined || brief.kind !== 'work') return { startCommit: newest }
  const first = (await predecessorsOf(tx, brief)).find(isUnmerged)
  return { startCommit: first?.branchCommit ?? newest, branch: await branchFor(tx, brief, part) }
}

/** Reports whether a brief is a step of a playbook: changes in its clone are discarded. */
export const isLook = ({ kind, phase }: Brief): boolean => kind === 'plan' && phase !== null

export const branchOf = (run: Pick<Run, 'id'>, brief: Brief): string =>
  brief.branch ?? featureBranch(run.id, brief.remainderOf ?? brief.verifies ?? brief.id)

export const workstreamOf = async (tx: ReadTx, { runId, workstream }: Brief): Promise<Part | undefined> =>
  workstream === null ? undefined : findPart(tx, runId, `${workstreamPrefix}${workstream}`)

const workstreamPrefix = 'ws:'

export const isWorkstream = ({ key }: Pick<Part, 'key'>): boolean => key.startsWith(workstreamPrefix)
export const idOfWorkstream = ({ key }: Pick<Part, 'key'>): string => key.slice(workstreamPrefix.length)

/** Returns a branch name that is free, because tasks of two squads may have the same name. */
async function branchFor(tx: Tx, brief: Brief, part: Part): Promise<string> {
  const plain = taskBranch(brief.runId, idOfWorkstream(part), taskOf(brief))
  if (!(await isBranchTaken(tx, brief.runId, plain))) return plain
  return `${plain}-${brief.id.slice(-8).toLowerCase()}`
}

const taskOf = ({ key }: Brief): string => (key.startsWith('t4:') ? key.split(':').slice(3).join('-') : key)

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
  readonly before: readonly Brief[]
  /** For a task that is done again: the head of the run, if the clone lacks it. */
  readonly since: string | null
}

export async function missingIn(
  deps: { readonly db: Db; readonly repositories?: Repositories },
  run: Run,
  brief: Brief,
): Promise<Missing> {
  const { repository, head } = run
  const own = brief.branchCommit ?? brief.startCommit
  const { repositories } = deps
  if (repository === null || repositories === undefined || own === null || !isTask(brief))
    return { before: [], since: null }
  const isThere = (commit: string): Promise<boolean> => repositories.contains(repository.mirror, own, commit)
  const before: Brief[] = []
  for (const each of await deps.db.read((tx) => predecessorsOf(tx, brief)))
    if (!(await isThere(each.branchCommit as string))) before.push(each)
  return { before, since: brief.attempts > 1 && head !== null && !(await isThere(head)) ? head : null }
}

const isTask = ({ kind, workstream }: Brief): boolean => kind === 'work' && workstream !== null

export interface Owners {
  /** The brief that owns the domain of the task that was merged last. */
  readonly domain: string
  readonly result: string
}

/** Returns the owners of a workstream's merges: the designer of its domain, and the top of the hierarchy. */
export async function ownersOf(tx: ReadTx, part: Part): Promise<Owners> {
  const tasks = await listBriefsOfWorkstreams(tx, part.runId, [idOfWorkstream(part)])
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
  return { domain: (chain.find(({ tier }) => tier === 't2') ?? top).id, result: top.id }
}
