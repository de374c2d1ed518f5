import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { BriefStatus } from '../briefs/contract.ts'
import { Author, ProofSheet } from '../proof-sheets/contract.ts'
import { ChangedFile, Diffstat } from '../pull-requests/contract.ts'
import { WaitsFor } from '../runs/contract.ts'
import { runResultEndpoints } from './endpoints.ts'

/** The one sentence that a result begins with. It is quoted or derived from rows, never written for it. */
export const Sentence = z.object({
  text: z.string(),
  source: z
    .enum(['agent', 'acceptance', 'run'])
    .describe('agent: the claim of an agent; acceptance: the reason why the result was accepted; run: facts of Agency'),
  by: Author.nullable(),
})
export type Sentence = z.infer<typeof Sentence>

/** One file of the result. */
export const ResultFile = z.object({
  path: z.string(),
  briefId: z.string().nullable(),
  artifactId: z.string().nullable().describe('Null: no report names the file, or it was not recorded'),
  version: z.number().int().nullable(),
  bytes: z.number().int().nullable(),
  sha256: z.string().nullable(),
  change: ChangedFile.omit({ path: true })
    .nullable()
    .describe('Null: without a repository, or it did not change there'),
})
export type ResultFile = z.infer<typeof ResultFile>

/** A verifier whose verdicts count for the result. */
export const VerifiedBy = z.object({
  persona: z.string().describe('Its slug'),
  name: z.string(),
  passed: z.number().int().describe('Number of briefs whose newest attempt it passed'),
  failed: z.number().int(),
})
export type VerifiedBy = z.infer<typeof VerifiedBy>

/** An answered question. */
export const AnsweredQuestion = z.object({
  id: z.string(),
  briefId: z.string().nullable(),
  text: z.string(),
  answer: z.string(),
  by: z.string().nullable(),
  at: z.string(),
})
export type AnsweredQuestion = z.infer<typeof AnsweredQuestion>

/** The result of a run and its support: the proof sheet, with the files, the cost and the decisions. */
export const RunResult = ProofSheet.extend({
  sentence: Sentence.nullable().describe('Null: no agent has reported yet'),
  left: z.string().nullable().describe('What is finished and what is not, for a result that is not whole'),
  briefs: z
    .record(BriefStatus, z.number().int())
    .describe('Number of briefs of work by status; statuses without any are 0'),
  files: z
    .array(ResultFile)
    .describe('Changes of the repository, then other outputs of the claims on this page; at most 200'),
  filesTotal: z.number().int().describe('Number of these files before they were cut'),
  diff: Diffstat.nullable().describe('Size of all changes; null: without a repository, or nothing was collected'),
  diffFault: z.string().nullable().describe('The reason why the changes cannot be read any more'),
  verifiedBy: z.array(VerifiedBy).describe('At most 50'),
  answers: z.array(AnsweredQuestion).describe('The newest last; at most 200'),
  cost: z.object({
    costMicros: z.number().int().describe('Millionths of a US dollar, of the calls whose price is known'),
    tokens: z.number().int(),
    unpricedCalls: z.number().int().nullable().describe('Null: not counted for a single brief'),
  }),
  waitsFor: WaitsFor,
})
export type RunResult = z.infer<typeof RunResult>

export const runResultOperations = {
  show: operation({
    name: 'run.result',
    summary: 'Show the result of a run: its sentence, files, proofs, verdicts, cost, and what is not proven',
    ...runResultEndpoints.show,
    input: z.strictObject({
      runId: z.string().describe('The id or a unique prefix'),
      briefId: z.string().optional().describe('Only the result of this brief'),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('The first claim, from 0'),
      limit: z.coerce.number().int().min(1).max(200).default(20).describe('Maximum number of claims'),
    }),
    output: RunResult,
    allow: ['operator'],
  }),
}
