import { updated } from '../events/change.ts'
import { bug } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import type { Landed, Merged, Repositories } from '../repositories/port.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { briefs, findBrief, listBriefsHeldBy } from '../work/briefs/store.ts'
import type { Run, RunRepository } from '../work/runs/contract.ts'
import { findRun } from '../work/runs/store.ts'
import { openScope } from './attempt.ts'
import { completeBrief, decideAndApply, endRun } from './decisions.ts'
import type { EngineDeps } from './deps.ts'
import { retryWith } from './retries.ts'
import { openGate } from './halt.ts'
import { persist } from './persist.ts'
import { landingHold, mergedPullRequest, mergeHold } from './pull-request.ts'
import { moveRun, moveRunsMission, type RunScope, touchRun } from './scope.ts'

/**
 * Does in git what a run waits for: merges what has passed, in the order of the plan, and brings an approved result
 * home. Git first, then the record: what a kill leaves between the two is found done the next time.
 */
export async function integrate(deps: EngineDeps, runId: string): Promise<void> {
  for (;;) {
    const { run, held } = await deps.db.read(async (tx) => ({
      run: await findRun(tx, runId),
      held: await listBriefsHeldBy(tx, runId, mergeHold),
    }))
    if (run === undefined || run.endedAt !== null || run.repository === null) return
    const repositories = deps.repositories
    if (repositories === undefined) throw bug('there is a run with a repository, and nobody who knows git')
    const brief = held.find(waitsToBeMerged)
    if (brief !== undefined) await mergeBrief(deps, repositories, run, run.repository, brief)
    else if (run.heldBy === landingHold) return landRun(deps, repositories, run, run.repository)
    else return
  }
}

const waitsToBeMerged = (brief: Brief): boolean =>
  brief.status === 'ready_for_verification' && brief.heldBy === mergeHold

async function mergeBrief(
  deps: EngineDeps,
  repositories: Repositories,
  run: Run,
  repository: RunRepository,
  brief: Brief,
): Promise<void> {
  if (brief.branchCommit === null) throw bug(`${brief.id} waits to be merged and has no commit`)
  const merged = await repositories.merge({
    repository,
    runId: run.id,
    briefId: brief.id,
    commit: brief.branchCommit,
    title: `Merge ${shorten(brief.title, 60)}`,
  })
  deps.trigger('branch.merged')
  await inScope(deps, run.id, async (scope) => {
    const current = await findBrief(scope.tx, brief.id)
    // Cancelled, or done again meanwhile: then what was merged is merged again with what came of it.
    if (current === undefined || !waitsToBeMerged(current) || current.branchCommit !== brief.branchCommit) return
    await (merged.outcome === 'merged'
      ? passOn(scope, current, merged)
      : sendBackConflict(scope, current, merged.files))
  })
}

async function passOn(
  scope: RunScope,
  brief: Brief,
  { commit }: Extract<Merged, { outcome: 'merged' }>,
): Promise<void> {
  await touchRun(
    scope,
    { head: commit },
    {
      kind: 'branch_merged',
      level: 'normal',
      code: 'MERGE',
      briefId: brief.id,
      attemptId: brief.attemptId,
      message: `${brief.key} ${(brief.branchCommit ?? '').slice(0, 12)} → ${commit.slice(0, 12)}`,
      data: { commit, branch_commit: brief.branchCommit },
    },
  )
  await completeBrief(scope, brief, 'merged', { heldBy: null })
}

/** The later one has to fit in: it is told which files, and how to get what was merged before it. */
async function sendBackConflict(scope: RunScope, brief: Brief, files: readonly string[]): Promise<void> {
  const named = files.slice(0, 50).join(', ')
  const freed = { ...brief, heldBy: null }
  await touchRun(
    scope,
    {},
    {
      kind: 'merge_conflict',
      level: 'normal',
      code: 'CONFLICT',
      briefId: brief.id,
      attemptId: brief.attemptId,
      message: `${brief.key}: ${shorten(named, 500)}`,
      data: { files: files.slice(0, 200) },
    },
    [updated(briefs, brief, { heldBy: null })],
  )
  await retryWith(scope, freed, 'bad_output', `conflicts with what was merged before: ${shorten(named, 300)}`, [
    ...files
      .slice(0, 50)
      .map((file) => ({ evidence: file, detail: 'changed by others too: the two have to be joined' })),
    { evidence: 'how', detail: `git merge ${scope.run.head}, settle what conflicts, commit` },
  ])
}

async function landRun(
  deps: EngineDeps,
  repositories: Repositories,
  run: Run,
  repository: RunRepository,
): Promise<void> {
  if (run.head === null) throw bug(`run ${run.id} is to be merged and has no commit`)
  const landed = await repositories.land(repository, {
    runId: run.id,
    commit: run.head,
    message: `Merge ${shorten(run.goalAnchor.trim().split('\n', 1)[0] as string, 60)}`,
  })
  deps.trigger('result.landed')
  await inScope(deps, run.id, async (scope) => {
    if (scope.run.heldBy !== landingHold) return
    await follow(scope, repository, landed)
  })
}

async function follow(scope: RunScope, repository: RunRepository, landed: Landed): Promise<void> {
  switch (landed.outcome) {
    case 'landed':
      await mergedPullRequest(scope, landed.commit)
      return endRun(scope, 'done', `merged into ${repository.branch} as ${landed.commit.slice(0, 12)}`)
    case 'conflict':
      await reopened(scope)
      return decideAndApply(scope, {
        kind: 'merge_failed',
        reason: `${repository.branch} has moved on, and this does not go together with it: ${shorten(landed.files.join(', '), 500)}. Join the two with "git merge ${landed.commit}".`,
      })
    case 'refused':
      await reopened(scope)
      await openGate(scope, {
        gate: 'merge',
        summary: {
          produced: 'The result is ready, but could not be merged.',
          next: landed.next,
          anomalies: [landed.why],
        },
        timeoutMinutes: scope.run.configuration.gateTimeoutMinutes,
      })
  }
}

/** As it was before somebody approved. */
async function reopened(scope: RunScope): Promise<void> {
  await moveRun(scope, 'running', { message: 'the result could not be merged', patch: { heldBy: null } })
  await moveRunsMission(scope, ['in_progress'])
}

const inScope = (deps: EngineDeps, runId: string, act: (scope: RunScope) => Promise<void>): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${runId}`], async (tx) => {
      const scope = await openScope(deps, tx, runId)
      if (scope === null || scope.run.endedAt !== null) return
      await act(scope)
    }),
  )
