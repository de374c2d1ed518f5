import type { Db, ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { Repositories } from '../../repositories/port.ts'
import { findBrief, listBriefs } from '../briefs/store.ts'
import { describeEvidence } from '../evidence/contract.ts'
import { listChecks, listChecksOfAttempts } from '../evidence/store.ts'
import { resultWarnings } from '../evidence/warnings.ts'
import { listAttempts } from '../attempts/store.ts'
import type { Proof, ProofLine } from '../proofs/contract.ts'
import { listProofs } from '../proofs/store.ts'
import type { Run, RunRepository } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import { findRun } from '../runs/store.ts'
import type { ChangedFile, Diff, PullRequestLine, PullRequestView } from './contract.ts'
import { findPullRequestOf, listPullRequests, type PullRequestQuery } from './store.ts'

export interface PullRequestDeps {
  db: Db
  repositories?: Repositories | undefined
}

export type PullRequests = ReturnType<typeof createPullRequests>

/** More than a person reads at once, and little enough for a browser. */
const maxDiffBytes = 2_000_000
const maxFiles = 1_000

export function createPullRequests({ db, repositories }: PullRequestDeps) {
  const git = (): Repositories => {
    if (repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
    return repositories
  }

  async function diff(repository: RunRepository, from: string, to: string, path: string | undefined): Promise<Diff> {
    const [files, { text, cut }] = await Promise.all([
      git().files(repository.mirror, from, to),
      git().diff(repository.mirror, from, to, { path, maxBytes: maxDiffBytes }),
    ])
    return { from, to, files: files.slice(0, maxFiles), text, cut }
  }

  return {
    list: (query: PullRequestQuery): Promise<{ pullRequests: PullRequestLine[] }> =>
      db.read(async (tx) => {
        const found = await listPullRequests(tx, query)
        const lines: PullRequestLine[] = []
        for (const each of found) {
          const run = await findRun(tx, each.runId)
          lines.push({ ...each, simulated: run?.simulated ?? false, repository: run?.repository?.path ?? '' })
        }
        return { pullRequests: lines }
      }),

    async ofRun(prefix: string): Promise<PullRequestView> {
      const { run, pullRequest, ...shown } = await db.read(async (tx) => {
        const run = await requireRun(tx, prefix)
        const pullRequest = await findPullRequestOf(tx, run.id)
        if (pullRequest === undefined) throw refusal('not_found', `run ${run.id} has no pull request`, hintOf(run))
        const proof = (await listProofs(tx, run.id)).findLast(({ status }) => status !== 'cancelled')
        return {
          run,
          pullRequest,
          checks: await checksOf(tx, run),
          warnings: await resultWarnings(tx, run),
          proof: proof === undefined ? null : lineOf(proof),
        }
      })
      const files = await git().files(repositoryOf(run).mirror, pullRequest.baseCommit, pullRequest.headCommit)
      return { ...pullRequest, ...shown, diffstat: sum(files), files: files.slice(0, maxFiles) }
    },

    async diff(prefix: string, path: string | undefined): Promise<Diff> {
      const { run, pullRequest } = await db.read(async (tx) => {
        const run = await requireRun(tx, prefix)
        return { run, pullRequest: await findPullRequestOf(tx, run.id) }
      })
      const repository = repositoryOf(run)
      const base = pullRequest?.baseCommit ?? repository.base
      return diff(repository, base, run.head ?? base, path)
    },

    async ofBrief(briefId: string, path: string | undefined): Promise<Diff> {
      const { run, brief, checked } = await db.read(async (tx) => {
        const brief = await findBrief(tx, briefId)
        const attemptIds = brief === undefined || brief.attemptId === null ? [] : [brief.attemptId]
        // Work whose evidence fails is not collected, but its commit was checked.
        const checked = (await listChecksOfAttempts(tx, attemptIds)).find(({ commitId }) => commitId !== null)
        return { brief, run: brief === undefined ? undefined : await findRun(tx, brief.runId), checked }
      })
      if (brief === undefined || run === undefined) throw notFound('brief', briefId)
      const repository = repositoryOf(run)
      const commit = brief.branchCommit ?? checked?.commitId ?? null
      if (brief.startCommit === null || commit === null)
        throw refusal('not_found', `nothing was collected of ${brief.id} yet`)
      return diff(repository, brief.startCommit, commit, path)
    },
  }
}

function repositoryOf(run: Run): RunRepository {
  if (run.repository !== null) return run.repository
  throw refusal('not_found', `run ${run.id} has no repository`, {
    hint: 'Start one with "agency run … --repo <path>".',
  })
}

const hintOf = (run: Run): { hint: string } => ({
  hint:
    run.repository === null
      ? 'Start one with "agency run … --repo <path>".'
      : `It opens when every brief is verified and the merged result is proven; it is ${run.status} now.`,
})

const lineOf = ({ head, status, detail }: Proof): ProofLine => ({ head, status, detail })

const sum = (files: readonly ChangedFile[]) => ({
  files: files.length,
  added: files.reduce((total, file) => total + file.added, 0),
  removed: files.reduce((total, file) => total + file.removed, 0),
})

/** Lists the checks of the newest attempt of each work brief; failures of earlier attempts belong to the history of the run. */
async function checksOf(tx: ReadTx, run: Run): Promise<PullRequestView['checks']> {
  const newest = new Set(
    (await listBriefs(tx, run.id)).filter(({ kind }) => kind === 'work').map((brief) => brief.attemptId),
  )
  const places = new Map((await listAttempts(tx, run.id)).map(({ id, checkedIn }) => [id, checkedIn]))
  return (await listChecks(tx, run.id))
    .filter((check) => newest.has(check.attemptId))
    .slice(0, maxFiles)
    .map(({ briefId, attemptId, evidence, passed, detail }) => ({
      briefId,
      what: describeEvidence(evidence),
      passed,
      detail,
      checkedIn: places.get(attemptId) ?? null,
    }))
}
