import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { CheckedIn } from '../attempts/contract.ts'
import { ProofLine } from '../proofs/contract.ts'
import { pullRequestEndpoints } from './endpoints.ts'

export const PullRequestStatus = z.enum(['open', 'merged', 'closed'])

/** The changes that a run proposes to a repository, and their outcome. */
export const PullRequest = z.object({
  id: z.string(),
  runId: z.string(),
  adapter: z.enum(['bare']).describe('The place where it is stored; bare: here, no network needed'),
  title: z.string(),
  body: z.string(),
  source: z.string().describe('The branch with the work'),
  target: z.string().describe('The target branch'),
  baseCommit: z.string(),
  headCommit: z.string(),
  status: PullRequestStatus,
  mergedCommit: z.string().nullable(),
  revertedBy: z.string().nullable().describe('The run that takes the landed result back'),
  openedAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().nullable(),
})
export type PullRequest = z.infer<typeof PullRequest>

/** A pull request in a list. */
export const PullRequestLine = PullRequest.extend({
  simulated: z.boolean().describe('Its run was simulated'),
  repository: z.string().describe('The path of the repository'),
})
export type PullRequestLine = z.infer<typeof PullRequestLine>

export const ChangedFile = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'type_changed']),
  added: z.number().int(),
  removed: z.number().int(),
  binary: z.boolean(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

export const Diffstat = z.object({
  files: z.number().int(),
  added: z.number().int(),
  removed: z.number().int(),
})

export const PullRequestView = PullRequest.extend({
  diffstat: Diffstat,
  files: z.array(ChangedFile).describe('At most 1,000'),
  checks: z
    .array(
      z.object({
        briefId: z.string(),
        what: z.string(),
        passed: z.boolean(),
        detail: z.string(),
        checkedIn: CheckedIn.nullable(),
      }),
    )
    .describe('The checked evidence of the newest attempt of each brief'),
  warnings: z.array(z.string()).describe('Places of checks that prove less than a fresh checkout'),
  proof: ProofLine.nullable().describe('The check of all evidence on the merged result; null if none was needed'),
})
export type PullRequestView = z.infer<typeof PullRequestView>

export const Diff = z.object({
  from: z.string(),
  to: z.string(),
  files: z.array(ChangedFile),
  text: z.string().describe('As git prints it'),
  cut: z.boolean().describe('There is more than fits'),
})
export type Diff = z.infer<typeof Diff>

const runId = z.string().describe('The id or a unique prefix')
const path = z.string().max(4_096).optional().describe('Only this file or folder')

export const pullRequestOperations = {
  list: operation({
    name: 'pr.list',
    summary: 'Pull requests, the newest first',
    ...pullRequestEndpoints.list,
    input: z.strictObject({
      status: PullRequestStatus.optional(),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    output: z.object({ pullRequests: z.array(PullRequestLine) }),
    allow: ['operator'],
  }),
  ofRun: operation({
    name: 'pr.show',
    summary: 'Show the pull request of a run: its changes and its evidence',
    ...pullRequestEndpoints.ofRun,
    input: z.strictObject({ runId }),
    output: PullRequestView,
    allow: ['operator'],
  }),
  diff: operation({
    name: 'pr.diff',
    summary: 'Show the changes of a run as a diff',
    ...pullRequestEndpoints.diff,
    input: z.strictObject({ runId, path }),
    output: Diff,
    allow: ['operator'],
  }),
  ofBrief: operation({
    name: 'brief.diff',
    summary: 'Show the changes of one brief as a diff',
    ...pullRequestEndpoints.ofBrief,
    input: z.strictObject({ briefId: z.string(), path }),
    output: Diff,
    allow: ['operator'],
  }),
}
