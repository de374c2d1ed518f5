import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { CheckedIn } from '../attempts/contract.ts'
import { BriefStatus } from '../briefs/contract.ts'
import { Check, Odd } from '../evidence/contract.ts'
import { Approval, GateStatus } from '../gates/contract.ts'
import { NoteView } from '../notes/contract.ts'
import { Proof, ProofFinding } from '../proofs/contract.ts'
import { Repeat } from '../repeats/contract.ts'
import { RunStatus } from '../runs/contract.ts'
import { Verdict } from '../verdicts/contract.ts'
import { proofSheetEndpoints } from './endpoints.ts'

/** The agent behind a claim or a verdict. */
export const Author = z.object({
  agentId: z.number().int(),
  attemptId: z.string(),
  persona: z.string().describe('Its slug'),
  name: z.string().describe('The name of the persona'),
  runtime: z.string(),
  simulated: z.boolean(),
  boxed: z.boolean(),
})
export type Author = z.infer<typeof Author>

const inWords = {
  what: z.string().describe('The requirement, in one line'),
  expects: z.array(z.string()).describe('Its conditions'),
  exitCode: z.number().int().nullable().describe('Of a command that ended by itself'),
}

export const SheetCheck = Check.omit({ runId: true, briefId: true, attemptId: true }).extend(inWords)
export type SheetCheck = z.infer<typeof SheetCheck>

export const SheetFinding = ProofFinding.extend(inWords)
export type SheetFinding = z.infer<typeof SheetFinding>

export const SheetVerdict = Verdict.pick({
  id: true,
  scope: true,
  attempt: true,
  verdict: true,
  checked: true,
  missingEvidence: true,
  issues: true,
  notes: true,
  at: true,
}).extend({
  by: Author.nullable().describe('The verifier, never the agent that did the work'),
  isCurrent: z.boolean().describe('Whether it is about the attempt that counts'),
})
export type SheetVerdict = z.infer<typeof SheetVerdict>

export const Basis = z
  .enum(['checked', 'judged', 'both', 'neither', 'open'])
  .describe(
    'What the claim rests on. checked: evidence of the operator, which held; judged: the verdict of a verifier; neither: no such evidence and no such verdict, whatever else was checked; open: the work is not finished',
  )
export type Basis = z.infer<typeof Basis>

/** One brief: what its agent says, and what supports it. */
export const Claim = z.object({
  briefId: z.string(),
  key: z.string(),
  title: z.string(),
  status: BriefStatus,
  basis: Basis,
  attempts: z.number().int().describe('Number of attempts; the newest counts'),
  by: Author.nullable(),
  summary: z.string().nullable().describe('The words of the agent: a claim, not a fact'),
  outputs: z.array(z.object({ path: z.string(), sha256: z.string() })),
  startCommit: z.string().nullable(),
  commit: z.string().nullable().describe('The collected commit'),
  checkedIn: CheckedIn.nullable(),
  checks: z.array(SheetCheck),
  odd: z.array(Odd),
  contradiction: z.string().nullable(),
  verdicts: z.array(SheetVerdict),
  notes: z.array(NoteView),
})
export type Claim = z.infer<typeof Claim>

export const Gap = z.object({
  text: z.string(),
  briefs: z.array(z.string()).describe('Keys of the briefs that it is about; at most 20'),
})
export type Gap = z.infer<typeof Gap>

export const SheetGate = z.object({
  id: z.string(),
  gate: z.string(),
  boundary: z.string(),
  approver: z.string(),
  status: GateStatus,
  by: z.string().nullable(),
  approvals: z.array(Approval),
  note: z.string().nullable(),
  reason: z.string().nullable(),
  produced: z.string(),
  anomalies: z.array(z.string()).describe('The anomalies that the person was shown'),
  decidedAt: z.string().nullable(),
})
export type SheetGate = z.infer<typeof SheetGate>

/** Everything that supports the "done" of a run, derived from its rows. */
export const ProofSheet = z.object({
  run: z.object({
    id: z.string(),
    goal: z.string(),
    playbook: z.string(),
    status: RunStatus,
    simulated: z.boolean(),
    boxed: z.boolean().nullable().describe('Whether every agent and command ran in a sandbox; null: none ran'),
    repository: z.object({ path: z.string(), branch: z.string(), base: z.string() }).nullable(),
    result: z.string().nullable().describe('The newest commit of its integration branch'),
    merged: z.string().nullable().describe('The commit that was merged into the target branch'),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
  }),
  statement: z.string().describe('What is proven and what is not, in one line'),
  isProven: z.boolean().describe('Whether all work is finished and supported, and no gap is left'),
  gaps: z.array(Gap).describe('What was not checked or not proven'),
  proofs: z
    .array(Proof.omit({ gate: true, runId: true, findings: true }).extend({ findings: z.array(SheetFinding) }))
    .describe('All evidence on the merged result; the newest first, at most 10'),
  repeats: z
    .array(Repeat.omit({ runId: true, findings: true }).extend({ findings: z.array(SheetFinding) }))
    .describe('Later checks of all evidence; the newest first, at most 5'),
  gates: z.array(SheetGate).describe('The decisions of people and tiers; at most 200'),
  acceptances: z.array(z.string()).describe('Verdicts on whole parts of a tiered run'),
  claims: z.array(Claim),
  total: z.number().int().describe('Number of all claims'),
  next: z.number().int().nullable().describe('The offset of the next page; null: there is none'),
})
export type ProofSheet = z.infer<typeof ProofSheet>

export const proofSheetOperations = {
  show: operation({
    name: 'proof.show',
    summary: 'Show the proof sheet of a run: claims, checks, verdicts, what was odd, and what is not proven',
    ...proofSheetEndpoints.show,
    input: z.strictObject({
      runId: z.string().describe('The id or a unique prefix'),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('The first claim, from 0'),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of claims'),
    }),
    output: ProofSheet,
    allow: ['operator'],
  }),
}
