import type { NewEvent } from '../../events/append.ts'
import { type Change, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { domainBranch, integrationBranch, type Repositories, workstreamBranch } from '../../repositories/port.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import { endStatuses } from '../../work/briefs/states.ts'
import { briefs, findBrief, listBriefsHeldBy, listBriefsOfGroups } from '../../work/briefs/store.ts'
import type { Part } from '../../work/parts/contract.ts'
import { listParts, listPartsHeldBy, parts } from '../../work/parts/store.ts'
import type { Run, RunRepository } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import { branchNameOf, branchPartOf, ownersOf } from '../../work/briefs/branches.ts'
import type { EngineDeps } from '../deps.ts'
import { isHeld, mergeHold, releaseHold } from '../../work/briefs/holds.ts'
import { retryWith } from '../../work/briefs/retry.ts'
import { landingHold, partMergeHold } from '../../work/pull-requests/moves.ts'
import { playbookOf, type RunScope } from '../../work/scope.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { inScope } from './in-scope.ts'
import { withMergeNet } from './net.ts'
import { withNet } from '../outcome/fault.ts'
import { completeBrief, eventTags, nameOf } from '../../work/briefs/moves.ts'
import { touchRun } from '../../work/runs/moves.ts'

/**
 * Does the pending merges of a run in git, of briefs that have passed, in the order of the plan. Git acts first, then the record follows. Git's branches are projections of the rows: a merge builds
 * on the recorded head, so that a merge without a record, because of a kill or because the brief was cancelled
 * meanwhile, leaves nothing in the result.
 */
export async function integrate(deps: EngineDeps, runId: string): Promise<void> {
  for (;;) {
    const { run, held, heldParts } = await deps.db.read(async (tx) => ({
      run: await findRun(tx, runId),
      held: await listBriefsHeldBy(tx, runId, mergeHold),
      heldParts: await listPartsHeldBy(tx, runId, partMergeHold),
    }))
    if (run === undefined || run.endedAt !== null || run.repository === null) return
    const repositories = deps.repositories
    if (repositories === undefined) throw bug('a run has a repository, but no git adapter is configured')
    const brief = held.find(waitsToBeMerged)
    const [part] = heldParts
    if (brief !== undefined) await mergeBrief(deps, repositories, run, run.repository, brief)
    else if (part !== undefined) await mergePart(deps, repositories, run, run.repository, part)
    else return handOver(deps, run, run.repository)
  }
}

/** Wakes the landing of a run whose wake-up an earlier version wrote as one of `integrate`. */
async function handOver({ db, later }: EngineDeps, run: Run, { path: repository }: RunRepository): Promise<void> {
  if (run.heldBy === landingHold)
    await db.write([], async (tx) => later?.(tx, { kind: 'land', runId: run.id, repository }))
}

const waitsToBeMerged = (brief: Brief): boolean => brief.status === 'ready_for_verification'

/** Merges a brief into the branch of its part if that has one, otherwise into the run's result. */
async function mergeBrief(
  deps: EngineDeps,
  repositories: Repositories,
  run: Run,
  repository: RunRepository,
  brief: Brief,
): Promise<void> {
  if (brief.branchCommit === null) throw bug(`${brief.id} waits to be merged and has no commit`)
  const playbook = playbookOf(deps, run)
  const part = await deps.db.read((tx) => branchPartOf(tx, playbook, brief))
  const head = headOf(run, part)
  const title = `Merge ${shorten(brief.title, 60)}`
  const into =
    part === undefined
      ? { branch: integrationBranch(run.id), head: head ?? repository.base, title, briefId: brief.id }
      : {
          branch: workstreamBranch(run.id, branchNameOf(playbook, part)),
          head: head ?? run.head ?? repository.base,
          title,
          briefId: brief.ownerId ?? brief.id,
          workId: brief.id,
        }
  const merged = await repositories.merge({ repository, runId: run.id, commit: brief.branchCommit, into: [into] })
  deps.chaosPoint('branch.merged')
  const record = async (scope: RunScope): Promise<void> => {
    const current = await findBrief(scope.tx, brief.id)
    // It was cancelled or done again meanwhile: this merge does not count.
    if (current === undefined || !waitsToBeMerged(current) || current.branchCommit !== brief.branchCommit) return
    if (!(await isHeld(scope.tx, current, mergeHold))) return
    const into = await branchPartOf(scope.tx, playbook, current)
    // Another process has recorded a merge, which this one does not contain: the brief is merged again.
    if (headOf(scope.run, into) !== head) return
    await (merged.outcome === 'merged'
      ? passOn(scope, current, into, merged.commits[0] as string)
      : sendBackConflict(scope, current, into, merged.files))
  }
  await withNet(deps, { runId: run.id, briefId: brief.id, attemptId: null }, () => inScope(deps, run.id, record))
}

/** Returns the recorded head of the branch that a brief is merged into. */
const headOf = (run: Run, part: Part | undefined): string | null => (part === undefined ? run.head : part.head)

async function passOn(scope: RunScope, brief: Brief, part: Part | undefined, commit: string): Promise<void> {
  await touchRun(
    scope,
    part === undefined ? { head: commit } : {},
    {
      kind: 'branch_merged',
      level: part === undefined ? 'normal' : 'verbose',
      code: 'MERGE',
      briefId: brief.id,
      attemptId: brief.attemptId,
      ...eventTags(scope, brief),
      message: `${nameOf(scope, brief)} ${(brief.branchCommit ?? '').slice(0, 12)} → ${commit.slice(0, 12)}`,
      data: { commit, branch_commit: brief.branchCommit, ...(part === undefined ? {} : { into: part.key }) },
    },
    part === undefined ? [] : [updated(parts, part, { head: commit, updatedAt: scope.tx.at })],
  )
  await completeBrief(scope, brief, 'merged')
}

/** Sends a brief back with the files in conflict and the commit to merge: the later brief has to fit in. */
async function sendBackConflict(
  scope: RunScope,
  brief: Brief,
  part: Part | undefined,
  files: readonly string[],
): Promise<void> {
  await tellConflict(
    scope,
    nameOf(scope, brief),
    files,
    { briefId: brief.id, attemptId: brief.attemptId, ...eventTags(scope, brief) },
    await releaseHold(scope.tx, brief, mergeHold),
  )
  const detail = `conflicts with work that was merged before: ${shorten(namedIn(files), 300)}`
  const freed = await findBrief(scope.tx, brief.id)
  await retryWith(scope, freed ?? brief, 'bad_output', detail, [
    ...files
      .slice(0, mostFiles)
      .map((file) => ({ evidence: file, detail: 'changed by others too: the two have to be joined' })),
    howToJoin(part?.head ?? scope.run.head ?? ''),
  ])
}

const mostFiles = 50
const namedIn = (files: readonly string[]): string => files.slice(0, mostFiles).join(', ')

const howToJoin = (commit: string): Correction => ({
  evidence: 'how',
  detail: `git merge ${commit}, resolve the conflicts, commit`,
})

const tellConflict = (
  scope: RunScope,
  name: string,
  files: readonly string[],
  place: Partial<NewEvent>,
  changes: readonly Change[],
): Promise<void> =>
  touchRun(
    scope,
    {},
    {
      kind: 'merge_conflict',
      level: 'normal',
      code: 'CONFLICT',
      ...place,
      message: `${name}: ${shorten(namedIn(files), 500)}`,
      data: { files: files.slice(0, 200) },
    },
    changes,
  )

/** Merges a complete part into the branch of its domain, and that branch into the run's result. */
async function mergePart(
  deps: EngineDeps,
  repositories: Repositories,
  run: Run,
  repository: RunRepository,
  part: Part,
): Promise<void> {
  if (part.head === null) throw bug(`${part.key} of ${run.id} waits to be merged and has no commit`)
  const playbook = playbookOf(deps, run)
  const name = branchNameOf(playbook, part)
  const { owners, domainHead } = await deps.db.read(async (tx) => ({
    owners: await ownersOf(tx, playbook, part),
    domainHead: headOfDomain(playbook, await listParts(tx, run.id), part),
  }))
  const merged = await repositories.merge({
    repository,
    runId: run.id,
    commit: part.head,
    into: [
      {
        branch: domainBranch(run.id, domainOf(playbook, part)),
        head: domainHead ?? repository.base,
        title: `Merge workstream ${name}`,
        briefId: owners.domain,
      },
      {
        branch: integrationBranch(run.id),
        head: run.head ?? repository.base,
        title: `Merge ${shorten(domainOf(playbook, part), 40)} with ${name}`,
        briefId: owners.result,
      },
    ],
  })
  deps.chaosPoint('branch.merged')
  const record = async (scope: RunScope): Promise<void> => {
    const all = await listParts(scope.tx, run.id)
    const current = all.find(({ key }) => key === part.key)
    if (current?.heldBy !== partMergeHold || current.status === 'cancelled' || current.head !== part.head) return
    if (scope.run.head !== run.head || headOfDomain(playbook, all, current) !== domainHead) return
    await (merged.outcome === 'merged'
      ? passPartOn(scope, current, all, merged.commits as [domain: string, result: string])
      : sendPartBack(scope, current, merged.files))
  }
  await withMergeNet(deps, run.id, { part: part.key }, () => inScope(deps, run.id, record))
}

const domainOf = (playbook: Playbook, part: Part): string =>
  typeof part.data['domain'] === 'string' ? part.data['domain'] : branchNameOf(playbook, part)

/** Returns the merged parts of the same domain, with the domain's branch at the head of each. */
const mergedInDomain = (playbook: Playbook, all: readonly Part[], part: Part): Part[] =>
  all.filter(
    (each) =>
      each.domainHead !== null &&
      domainBranch(each.runId, domainOf(playbook, each)) === domainBranch(part.runId, domainOf(playbook, part)),
  )

const headOfDomain = (playbook: Playbook, all: readonly Part[], part: Part): string | null =>
  mergedInDomain(playbook, all, part)[0]?.domainHead ?? null

async function passPartOn(
  scope: RunScope,
  part: Part,
  all: readonly Part[],
  [domainHead, commit]: readonly [domain: string, result: string],
): Promise<void> {
  const name = branchNameOf(scope.playbook, part)
  const others = mergedInDomain(scope.playbook, all, part).filter(({ key }) => key !== part.key)
  await touchRun(
    scope,
    { head: commit },
    {
      kind: 'branch_merged',
      level: 'normal',
      code: 'MERGE',
      workstream: name,
      message: `workstream ${name} ${(part.head ?? '').slice(0, 12)} → ${commit.slice(0, 12)}`,
      data: { commit, branch_commit: part.head, part: part.key },
    },
    [
      updated(parts, part, { heldBy: null, domainHead, updatedAt: scope.tx.at }),
      ...others.map((other) => updated(parts, other, { domainHead })),
    ],
  )
  await scope.decide({ kind: 'part_merged', part: part.key })
}

/** Gives the tasks that the playbook sends back the commit to merge. */
async function sendPartBack(scope: RunScope, part: Part, files: readonly string[]): Promise<void> {
  const name = branchNameOf(scope.playbook, part)
  const tasks = async (): Promise<Brief[]> =>
    (await listBriefsOfGroups(scope.tx, scope.run.id, [name])).filter(({ kind }) => kind === 'work')
  await tellConflict(scope, `workstream ${name}`, files, { workstream: name }, [
    updated(parts, part, { heldBy: null, updatedAt: scope.tx.at }),
  ])
  const stood = new Map((await tasks()).map(({ id, status }) => [id, status]))
  await scope.decide({ kind: 'part_conflict', part: part.key, files })
  for (const task of await tasks()) {
    if (task.status === stood.get(task.id) || endStatuses.includes(task.status)) continue
    await touchRun(
      scope,
      {},
      {
        kind: 'brief_status',
        briefId: task.id,
        ...eventTags(scope, task),
        message: `${nameOf(scope, task)} gets instructions to join the two`,
      },
      [updated(briefs, task, { corrections: [...task.corrections, howToJoin(scope.run.head ?? '')] })],
    )
  }
}
