import { bind, type Route } from '../../operations/bind.ts'
import { pullRequestOperations } from './contract.ts'
import type { PullRequests } from './service.ts'

export const pullRequestRoutes = (pullRequests: PullRequests): Route[] =>
  bind(pullRequestOperations, {
    list: (_, query) => pullRequests.list(query),
    ofRun: (_, { runId }) => pullRequests.ofRun(runId),
    diff: (_, { runId, path }) => pullRequests.diff(runId, path),
    ofBrief: (_, { briefId, path }) => pullRequests.ofBrief(briefId, path),
  })
