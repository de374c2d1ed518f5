import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import { featureBranch, type Repositories } from '../../repositories/port.ts'
import { listBriefs } from '../briefs/store.ts'
import type { Evidence } from '../evidence/contract.ts'
import { provableEvidence } from '../proofs/evidence.ts'
import type { PullRequest } from '../pull-requests/contract.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import { CreateRun, type Run, type RunRepository } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { Runs } from '../runs/service.ts'
import { findRun } from '../runs/store.ts'
import { askAboutConflict, markReverted, recordRevert } from './moves.ts'

export interface RevertDeps {
  db: Db
  ids: Ids
  runs: Pick<Runs, 'createMade'>
  repositories?: Repositories | undefined
}

export type Reverts = ReturnType<typeof createReverts>

interface Landed {
  readonly run: Run
  readonly repository: RunRepository
  readonly pullRequest: PullRequest
  readonly merged: string
  readonly evidence: Evidence[]
}

/** Takes landed results back: git makes the opposite of the landed change, and the rest is a run as every other. */
export function createReverts({ db, ids, runs, repositories }: RevertDeps) {
  /** Prepares the revert in git, and refuses one that makes no sense. */
  async function prepare(prefix: string) {
    const landed = await db.read((tx) => requireLanded(tx, prefix))
    if (repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
    const { run, pullRequest, merged } = landed
    const { path, branch } = landed.repository
    const now = await repositories.open(path, branch)
    const id = ids.next('run')
    const described = describe(landed)
    const made = await repositories.revert(now, {
      branch: featureBranch(id, 'revert'),
      runId: id,
      merged,
      base: pullRequest.baseCommit,
      message: described.text,
    })
    if (made.outcome === 'gone')
      throw refusal('conflict', `${branch} no longer contains ${merged.slice(0, 12)}, which ${run.id} merged`, {
        hint: `The branch was rewritten. Look at it with: git log ${branch}`,
      })
    if (made.outcome === 'nothing')
      throw refusal('conflict', `${branch} has none of the changes of ${run.id} any more`, {
        hint: 'They were taken back or replaced by other commits.',
      })
    return { ...landed, id, now, made, ...described }
  }

  return {
    async start(by: Actor, prefix: string): Promise<Run> {
      const prepared = await prepare(prefix).catch((error: unknown) => ({ error }))
      // A repeated request gets the answer of the first one, and not the refusal of a second revert.
      if ('error' in prepared) return db.write([], () => Promise.reject(prepared.error))
      const { run, repository, merged, id, now, made, title, text } = prepared
      const input = inputOf(prepared, text, title, made.outcome === 'conflict')
      const change = { runId: run.id, commit: merged }
      return runs.createMade(by, input, now, { id, reverts: change }, async (scope) => {
        const { tx } = scope
        // Another request may have been first.
        await refuseReverted(tx, await findPullRequestOf(tx, run.id), run)
        await markReverted(tx, run, scope.run.id, actorName(by))
        if (made.outcome === 'conflict')
          await askAboutConflict(scope, { ...change, branch: repository.branch, files: made.files })
        else await recordRevert(scope, made.commit)
      })
    },
  }
}

async function requireLanded(tx: ReadTx, prefix: string): Promise<Landed> {
  const run = await requireRun(tx, prefix)
  if (run.repository === null)
    throw refusal('unsupported', `run ${run.id} has worked in no repository: there is no landed result to take back`)
  const pullRequest = await findPullRequestOf(tx, run.id)
  if (pullRequest === undefined || pullRequest.status !== 'merged' || pullRequest.mergedCommit === null)
    throw refusal('illegal_transition', `the result of ${run.id} has not landed: the run is ${run.status}`, {
      hint:
        run.endedAt === null
          ? `Reject it at its gate, or end the run: agency cancel ${run.id}`
          : 'Nothing was merged, so there is nothing to take back.',
    })
  await refuseReverted(tx, pullRequest, run)
  const evidence = provableEvidence(await listBriefs(tx, run.id)).map((item) => item.evidence)
  return { run, repository: run.repository, pullRequest, merged: pullRequest.mergedCommit, evidence }
}

/** Refuses a second revert, unless the run of the first one has ended without landing. */
async function refuseReverted(tx: ReadTx | Tx, pullRequest: PullRequest | undefined, { id }: Run): Promise<void> {
  const other = pullRequest?.revertedBy
  const by = other === null || other === undefined ? undefined : await findRun(tx, other)
  if (by === undefined || by.status === 'failed' || by.status === 'cancelled') return
  const back = await broughtBackBy(tx, by)
  if (back !== null)
    throw refusal('conflict', `the result of ${id} was taken back by ${by.id}, and brought back by ${back}`, {
      hint: `To take it back again: agency revert ${back}`,
      data: { reverted_by: by.id },
    })
  const state = by.status === 'done' ? `was taken back by ${by.id} already` : `is being taken back by ${by.id}`
  throw refusal('conflict', `the result of ${id} ${state}`, {
    hint: by.status === 'done' ? `To bring it back: agency revert ${by.id}` : `Decide there: agency inspect ${by.id}`,
    data: { reverted_by: by.id },
  })
}

/** Returns the run that has brought a result back by reverting its revert; null if the result is taken back. */
async function broughtBackBy(tx: ReadTx | Tx, revert: Run): Promise<string | null> {
  let back: string | null = null
  for (let last: Run | undefined = revert, isBack = false; last?.status === 'done'; isBack = !isBack) {
    back = isBack ? last.id : null
    const next: string | null = (await findPullRequestOf(tx, last.id))?.revertedBy ?? null
    last = next === null ? undefined : await findRun(tx, next)
  }
  return back
}

function describe({ run, repository, pullRequest, merged }: Landed): { title: string; text: string } {
  const title = `Revert "${shorten(pullRequest.title, 150)}"`
  const from = pullRequest.baseCommit.slice(0, 12)
  const text = `${title}\n\nTakes back what ${run.id} merged into ${repository.branch} as ${merged.slice(0, 12)}: every change since ${from}. Later commits of ${repository.branch} stay.`
  return { title, text }
}

/** The run has the settings of the run that it takes back, and its evidence unless an agent has to resolve a conflict. */
function inputOf({ run, evidence }: Landed, goal: string, title: string, isConflict: boolean): CreateRun {
  const { runtime, runtimeOptions, readable, setup, approvalsNeeded, mode } = run.configuration
  const checked = isConflict ? [] : evidence
  return CreateRun.parse({
    goal,
    organisationId: run.organisationId,
    runtime,
    runtimeOptions,
    readable,
    approvalsNeeded,
    mode,
    onLimit: 'ask',
    ...(typeof setup === 'string' ? { setup } : {}),
    briefs: [
      {
        key: 'revert',
        title: shorten(title, 200),
        objective: goal,
        after: [],
        evidence: checked,
        verify: isConflict ? 'agent' : 'none',
      },
    ],
  })
}
