import { z } from 'zod'

/** A check of the attempt that a question is about, which did not hold. */
export const FailedCheck = z.object({
  what: z.string().describe('`$ npm test`, `file poem.txt` …'),
  detail: z.string().describe('The reason, in one line'),
  output: z.string().describe('The last lines of its output, without colours; empty: it printed nothing'),
})
export type FailedCheck = z.infer<typeof FailedCheck>

/** The failed attempts at a brief, compared with each other. */
export const FailedAttempts = z.object({
  summary: z.string().describe('`4 attempts, same failure`'),
  alike: z.number().int().describe('The number of last attempts that failed in the same way'),
  kinds: z
    .array(z.object({ attempts: z.array(z.number().int()), failure: z.string() }))
    .describe('The different failures in the order in which they came first, at most five'),
})
export type FailedAttempts = z.infer<typeof FailedAttempts>

/** A budget that a question is about. */
export const BudgetUse = z.object({
  tokenLimit: z.number().int().nullable(),
  tokensSpent: z.number().int(),
  costLimitMicros: z.number().int().nullable(),
  microsSpent: z.number().int(),
  isAboutCost: z.boolean().describe('An amount without a unit means dollars; otherwise tokens'),
})
export type BudgetUse = z.infer<typeof BudgetUse>

/** The facts that an answer to a question rests on, derived from its run when the question is shown. */
export const QuestionFacts = z.object({
  goal: z.string().describe('The beginning of the goal of its run'),
  askedBy: z.string().describe('The author in words'),
  background: z.string().describe('The context without what the goal and the text say already'),
  attemptId: z.string().nullable().describe('The attempt that it is about'),
  claim: z.string().nullable().describe('The summary that the agent of this attempt reported'),
  items: z.number().int().describe('The number of items of evidence of its brief'),
  failed: z.array(FailedCheck).describe('The items that did not hold, at most three'),
  failedTotal: z.number().int(),
  issues: z.array(z.string()).describe('The issues that a verifier found in this attempt, at most five'),
  attempts: FailedAttempts.nullable().describe('Null unless several attempts have failed'),
  hasDiff: z.boolean().describe('`brief.diff` shows the changes of this attempt'),
  advice: z
    .enum(['own_words'])
    .nullable()
    .describe('own_words: the same failure came again, so only new guidance or giving up makes sense'),
  budget: BudgetUse.nullable(),
})
export type QuestionFacts = z.infer<typeof QuestionFacts>
