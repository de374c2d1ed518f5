import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { CheckedIn } from '../attempts/contract.ts'
import { Evidence } from '../evidence/contract.ts'
import { ProofFinding } from '../proofs/contract.ts'
import { repeatEndpoints } from './endpoints.ts'

export const RepeatSubject = z
  .enum(['merged', 'result', 'branch'])
  .describe(
    'merged: the commit that was merged; result: that of a run that is not merged; branch: the target branch as it is now',
  )

/** All evidence of a run, checked again on request. It changes nothing of the run. */
export const Repeat = z.object({
  id: z.string(),
  runId: z.string(),
  subject: RepeatSubject,
  commitId: z.string().describe('The commit that is checked'),
  branchCommit: z.string().describe('The commit of the target branch when the repeat was requested'),
  inBranch: z.boolean().describe('Whether the target branch contained the checked commit then'),
  status: z
    .enum(['waiting', 'passed', 'failed', 'unchecked', 'cancelled'])
    .describe('unchecked: something could not be checked, which says nothing about the work'),
  findings: z.array(ProofFinding),
  checkedIn: CheckedIn.nullable(),
  detail: z.string().nullable().describe('The reason of its end, in one line'),
  requestedBy: z.string(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type Repeat = z.infer<typeof Repeat>

export const RepeatFinding = ProofFinding.extend({
  what: z.string().describe('The requirement, in one line'),
  before: z.boolean().nullable().describe('Whether it held when the result was proven; null: it was not checked then'),
})
export type RepeatFinding = z.infer<typeof RepeatFinding>

/** Evidence that only the branch of a brief can show. */
export const NotRepeated = z.object({
  evidence: Evidence,
  what: z.string(),
  briefs: z.array(z.string()).describe('Keys of the briefs that declare it'),
  reason: z.string(),
})
export type NotRepeated = z.infer<typeof NotRepeated>

export const RepeatView = Repeat.extend({
  findings: z.array(RepeatFinding).describe('While it waits: those so far'),
  branch: z.string().describe('The target branch'),
  total: z.number().int().describe('The number of items of evidence to check'),
  notRepeated: z.array(NotRepeated),
})
export type RepeatView = z.infer<typeof RepeatView>

const runId = z.string().describe('The id or a unique prefix')
const repeatId = z.string().max(100).describe('The id, or `latest`')

export const repeatOperations = {
  start: operation({
    name: 'proof.repeat',
    summary: 'Check all evidence of a run again, on the commit that was merged; nothing of the run changes',
    ...repeatEndpoints.start,
    input: z.strictObject({
      runId,
      head: z.boolean().default(false).describe('Check the target branch as it is now instead'),
    }),
    output: RepeatView,
    allow: ['operator'],
  }),
  show: operation({
    name: 'proof.repeated',
    summary: 'Show the repeat of a proof, with the evidence that was checked so far',
    ...repeatEndpoints.show,
    input: z.strictObject({ runId, repeatId }),
    output: RepeatView,
    allow: ['operator'],
  }),
  cancel: operation({
    name: 'proof.cancel_repeat',
    summary: 'Cancel the repeat of a proof',
    ...repeatEndpoints.cancel,
    input: z.strictObject({ runId, repeatId }),
    output: RepeatView,
    allow: ['operator'],
  }),
}
