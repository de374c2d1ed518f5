import { queryOptions } from '@tanstack/react-query'

import type { Brief } from '../../src/work/briefs/contract.ts'
import { type Diff, type PullRequest, pullRequestOperations } from '../../src/work/pull-requests/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'

export const pullRequestsQuery = (status: PullRequest['status'] | undefined) =>
  queryOptions({
    queryKey: [...keys.pullRequests, status ?? 'all'],
    queryFn: async ({ signal }) =>
      (await call(pullRequestOperations.list, { status, limit: 200 }, signal)).pullRequests,
  })

export const pullRequestQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'pull-request'],
    queryFn: ({ signal }) => call(pullRequestOperations.ofRun, { runId }, signal),
  })

/** The size of the changes up to a commit, which never changes: the key contains the commit. */
export const sizeQuery = ({ runId, headCommit }: Pick<PullRequest, 'runId' | 'headCommit'>) =>
  queryOptions({
    queryKey: ['diffstat', runId, headCommit],
    queryFn: async ({ signal }) => (await call(pullRequestOperations.ofRun, { runId }, signal)).diffstat,
  })

/** The diff between two commits never changes: the key contains both, and no event makes it stale. */
export const runDiffQuery = (run: Pick<Run, 'id' | 'head' | 'repository'>) =>
  queryOptions({
    queryKey: ['diff', run.id, run.repository?.base, run.head],
    queryFn: ({ signal }) => call(pullRequestOperations.diff, { runId: run.id }, signal),
  })

export const briefDiffQuery = (brief: Pick<Brief, 'id' | 'startCommit' | 'branchCommit'>) =>
  queryOptions({
    queryKey: ['diff', brief.id, brief.startCommit, brief.branchCommit],
    queryFn: ({ signal }) => call(pullRequestOperations.ofBrief, { briefId: brief.id }, signal),
  })

export const fileOfRun = (runId: string, path: string): Promise<Diff> =>
  call(pullRequestOperations.diff, { runId, path })

export const fileOfBrief = (briefId: string, path: string): Promise<Diff> =>
  call(pullRequestOperations.ofBrief, { briefId, path })
