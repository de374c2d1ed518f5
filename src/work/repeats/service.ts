import type { Db, ReadTx } from '../../db/port.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { Brief } from '../briefs/contract.ts'
import { listProvenBriefs } from '../proofs/proven-briefs.ts'
import { describeEvidence } from '../evidence/contract.ts'
import type { ProofFinding } from '../proofs/contract.ts'
import { provableEvidence, unprovableEvidence } from '../proofs/evidence.ts'
import { listProofs } from '../proofs/store.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import { resolveChecks } from '../repository-settings/resolve.ts'
import { findRepositorySettings } from '../repository-settings/store.ts'
import type { Run, RunRepository } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { ScopeParts } from '../scope.ts'
import type { NotRepeated, Repeat, RepeatView } from './contract.ts'
import { cancelRepeat, type NewRepeat, startRepeat } from './moves.ts'
import { findRepeat, listRepeats } from './store.ts'

export interface RepeatDeps {
  db: Db
  ids: Ids
  scopes: Pick<ScopeParts, 'later'>
  /** Without it, no run has a repository. */
  repositories?: Repositories | undefined
  /** Returns what a repeat under way in this process has found so far. */
  progressOf: (repeatId: string) => readonly ProofFinding[]
  /** Ends the checks of repeats that were ended. */
  interrupt: (ids: readonly string[]) => void
}

export type Repeats = ReturnType<typeof createRepeats>

export function createRepeats(deps: RepeatDeps) {
  const { db } = deps

  async function viewOf(tx: ReadTx, run: Run, repeat: Repeat): Promise<RepeatView> {
    const briefs = await listProvenBriefs(tx, run)
    const isWaiting = repeat.status === 'waiting'
    const findings = isWaiting ? deps.progressOf(repeat.id) : repeat.findings
    const before = await provenBefore(tx, run.id)
    return {
      ...repeat,
      branch: run.repository?.branch ?? '',
      findings: findings.map((each) => ({
        ...each,
        what: describeEvidence(each.evidence),
        before: before.get(JSON.stringify(each.evidence)) ?? null,
      })),
      total: isWaiting ? provableEvidence(briefs).length : findings.length,
      notRepeated: notRepeated(briefs),
    }
  }

  const show = (prefix: string, repeatId: string): Promise<RepeatView> =>
    db.read(async (tx) => {
      const run = await requireRun(tx, prefix)
      return viewOf(tx, run, await requireRepeat(tx, run, repeatId))
    })

  return {
    show,

    async start(by: Actor, prefix: string, head: boolean): Promise<RepeatView> {
      const { run, repository, merged } = await db.read((tx) => findSubject(tx, prefix))
      const about = await locate(deps.repositories, run, repository, { merged, head })
      const repeat = await db.write([`run:${run.id}`], (tx) =>
        startRepeat(tx, { ids: deps.ids, later: deps.scopes.later }, run, actorName(by), about),
      )
      return show(run.id, repeat.id)
    },

    async cancel(by: Actor, prefix: string, repeatId: string): Promise<RepeatView> {
      const { id: runId } = await db.read((tx) => requireRun(tx, prefix))
      const id = await db.write([`run:${runId}`], async (tx) => {
        const repeat = await requireRepeat(tx, { id: runId }, repeatId)
        if (repeat.status !== 'waiting')
          throw refusal('illegal_transition', `the evidence of ${runId} is not being checked again`, {
            hint: `Check it again with "agency prove ${runId}".`,
          })
        await cancelRepeat(tx, repeat, actorName(by))
        tx.afterCommit(() => deps.interrupt([repeat.id]))
        return repeat.id
      })
      return show(runId, id)
    },
  }
}

interface Subject {
  run: Run
  repository: RunRepository
  /** The commit that was merged into the target; null: none was. */
  merged: string | null
}

/** Finds what a run has to check; refuses a run that has nothing. */
async function findSubject(tx: ReadTx, prefix: string): Promise<Subject> {
  const run = await requireRun(tx, prefix)
  const { id, repository } = run
  const sheet = { hint: `Show what was checked with "agency proof ${id}".` }
  if (repository === null)
    throw refusal('invalid_input', `run ${id} has no repository, so what it delivered is not kept as a commit`, sheet)
  const briefs = await listProvenBriefs(tx, run)
  if (provableEvidence(briefs).length === 0)
    throw refusal('invalid_input', `no finished brief of ${id} has evidence that can be checked again`, sheet)
  const checks = resolveChecks(run, await findRepositorySettings(tx, repository.path), null)
  if (checks.place === 'workspace' && run.endedAt !== null)
    throw refusal(
      'conflict',
      `work on ${repository.path} is checked in the agents’ workspaces, which an ended run no longer has`,
      { hint: `Check it in fresh checkouts: agency repo set ${repository.path} --checks checkout` },
    )
  return { run, repository, merged: (await findPullRequestOf(tx, id))?.mergedCommit ?? null }
}

/** Finds the commit to check, and compares it with the target branch as it is now. */
async function locate(
  repositories: Repositories | undefined,
  run: Run,
  { path, branch }: RunRepository,
  { merged, head }: { merged: string | null; head: boolean },
): Promise<NewRepeat> {
  if (repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
  const now = await repositories.open(path, branch).catch((error: unknown) => {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    throw refusal(error.code, `${run.id} cannot be proven again: ${error.message}`, {
      hint: error.hint ?? `Show what was checked with "agency proof ${run.id}".`,
    })
  })
  if (head) return { subject: 'branch', commitId: now.base, branchCommit: now.base, inBranch: true }
  const commitId = merged ?? (run.head as string)
  if (!(await repositories.has(now.mirror, commitId)))
    throw refusal('not_found', `commit ${commitId.slice(0, 12)} of ${run.id} exists no longer in ${path}`, {
      hint: `Check ${branch} as it is now with "agency prove ${run.id} --head".`,
    })
  return {
    subject: merged === null ? 'result' : 'merged',
    commitId,
    branchCommit: now.base,
    inBranch: commitId === now.base || (await repositories.contains(now.mirror, now.base, commitId)),
  }
}

async function requireRepeat(tx: ReadTx, { id: runId }: Pick<Run, 'id'>, repeatId: string): Promise<Repeat> {
  const found = repeatId === 'latest' ? (await listRepeats(tx, runId, 1))[0] : await findRepeat(tx, repeatId)
  if (found?.runId === runId) return found
  const hint = `Check its evidence again with "agency prove ${runId}".`
  if (repeatId === 'latest') throw refusal('not_found', `the evidence of ${runId} was never checked again`, { hint })
  throw notFound('repeat', repeatId, hint)
}

/** Returns whether each item of evidence held when the result was proven last. */
async function provenBefore(tx: ReadTx, runId: string): Promise<Map<string, boolean>> {
  const proofs = await listProofs(tx, runId)
  return new Map(
    proofs.flatMap(({ findings }) =>
      findings.map(({ evidence, passed }) => [JSON.stringify(evidence), passed] as const),
    ),
  )
}

const notRepeated = (briefs: readonly Brief[]): NotRepeated[] =>
  unprovableEvidence(briefs).map(({ evidence, briefs: involved }) => ({
    evidence,
    what: describeEvidence(evidence),
    briefs: involved.map(({ key }) => key),
    reason:
      evidence.kind === 'git'
        ? 'it is about the commits of one brief, which a merge changes'
        : 'it is about the outputs of one brief, which a later brief may rename',
  }))
