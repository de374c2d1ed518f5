import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Landed, Repositories } from '../../repositories/port.ts'
import { redact } from '../../secrets/redact.ts'
import { openGate } from '../../work/gates/open.ts'
import { describeProof, mayMergeAgain, proveLanding } from '../../work/proofs/landing.ts'
import { landingHold, mergedPullRequest } from '../../work/pull-requests/moves.ts'
import type { Run, RunRepository } from '../../work/runs/contract.ts'
import { endRun } from '../../work/runs/end.ts'
import { moveRun, moveRunsMission, touchRun } from '../../work/runs/moves.ts'
import { findRun } from '../../work/runs/store.ts'
import type { RunScope } from '../../work/scope.ts'
import type { EngineDeps } from '../deps.ts'
import { inScope } from './in-scope.ts'
import { withMergeNet } from './net.ts'

/** A try to land a result. */
export interface LandingTry {
  /** The number of earlier tries. */
  readonly tries: number
  readonly isLastTry: boolean
}

/**
 * Lands the approved result of a run, if it waits for that. A result that had to be merged with new commits of its
 * target is another one: it is recorded and proven before it lands, or lands at once if there is nothing to prove.
 */
export async function land(deps: EngineDeps, runId: string, attempt: LandingTry): Promise<void> {
  for (let merges = 0; ; merges++) {
    const run = await deps.db.read((tx) => findRun(tx, runId))
    if (run === undefined || run.endedAt !== null || run.repository === null || run.heldBy !== landingHold) return
    await landRun(deps, run, run.repository, merges, attempt)
  }
}

async function landRun(
  deps: EngineDeps,
  run: Run,
  repository: RunRepository,
  earlier: number,
  attempt: LandingTry,
): Promise<void> {
  const { repositories } = deps
  if (repositories === undefined) throw bug('a run has a repository, but no git adapter is configured')
  if (run.head === null) throw bug(`run ${run.id} is to be merged and has no commit`)
  const landed = await tryToLand(repositories, run, repository, run.head, attempt)
  if (landed.outcome === 'busy' && !attempt.isLastTry) {
    if (attempt.tries === 0)
      await inScope(deps, run.id, (scope) =>
        touchRun(scope, {}, { kind: 'log', level: 'normal', message: `${landed.why}; it will be tried again` }),
      )
    throw new Error(landed.why)
  }
  deps.chaosPoint('result.landed')
  const record = async (scope: RunScope): Promise<void> => {
    if (scope.run.heldBy !== landingHold || scope.run.head !== run.head) return
    await follow(scope, repository, landed, earlier)
  }
  await withMergeNet(deps, run.id, 'landing', () => inScope(deps, run.id, record))
}

/** The last try returns every failure as a refusal, so that the operator decides instead of a job that was given up. */
async function tryToLand(
  repositories: Repositories,
  run: Run,
  repository: RunRepository,
  commit: string,
  { isLastTry }: LandingTry,
): Promise<Landed> {
  const message = `Merge ${shorten(run.goalAnchor.trim().split('\n', 1)[0] as string, 60)}`
  try {
    return await repositories.land(repository, { runId: run.id, commit, message })
  } catch (error) {
    if (!isLastTry) throw error
    const why = shorten(redact(error instanceof Error ? error.message : String(error)), 500)
    return { outcome: 'refused', why, next: `Approve to try again: agency approve ${run.id} --gate merge` }
  }
}

async function follow(scope: RunScope, repository: RunRepository, landed: Landed, earlier: number): Promise<void> {
  switch (landed.outcome) {
    case 'landed':
      await mergedPullRequest(scope, landed)
      return endRun(scope, 'done', `merged into ${repository.branch} as ${landed.commit.slice(0, 12)}`)
    case 'moved':
      return (await mayMergeAgain(scope, earlier))
        ? proveLanding(scope, landed)
        : openAgain(
            scope,
            `${repository.branch} changes faster than the result can be merged with it`,
            `Approve to try again: agency approve ${scope.run.id} --gate merge`,
          )
    case 'conflict':
      await reopen(scope)
      return scope.decide({
        kind: 'merge_failed',
        reason: `${repository.branch} has moved on, and this does not go together with it: ${shorten(landed.files.join(', '), 500)}. Join the two with "git merge ${landed.commit}".`,
      })
    case 'busy':
    case 'refused':
      return openAgain(scope, landed.why, landed.next)
  }
}

async function openAgain(scope: RunScope, why: string, next: string): Promise<void> {
  await reopen(scope)
  const { produced, anomalies } = await describeProof(scope)
  await openGate(scope, {
    gate: 'merge',
    summary: {
      produced: ['The result is ready, but could not be merged.', produced].filter(Boolean).join('\n'),
      next,
      anomalies: [why, ...anomalies],
    },
    timeoutMinutes: scope.run.configuration.gateTimeoutMinutes,
  })
}

/** Returns the run to its state before the approval. */
async function reopen(scope: RunScope): Promise<void> {
  await moveRun(scope, 'running', { message: 'the result could not be merged', patch: { heldBy: null } })
  await moveRunsMission(scope, ['in_progress'])
}
