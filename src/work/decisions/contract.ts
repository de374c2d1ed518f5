import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { decisionEndpoints } from './endpoints.ts'

export const DecisionAction = z.enum(['approve', 'reject', 'answer'])
export type DecisionAction = z.infer<typeof DecisionAction>

/** A decision of the operator that takes effect later, so that it can be taken back until then. */
export const Decision = z.object({
  id: z.string(),
  runId: z.string().nullable().describe('Null: the question belongs to the organisation'),
  organisationId: z.number().int().nullable().describe('Present if the question belongs to no run'),
  target: z.string().describe('The id of the gate or the question'),
  action: DecisionAction,
  text: z.string().nullable().describe('The note, the reason of a rejection, or the answer'),
  by: z.string(),
  decidedAt: z.string(),
  effectiveAt: z.string(),
  status: z.enum(['waiting', 'applied', 'undone', 'refused']),
  reason: z.string().nullable().describe('Why the decision could not take effect'),
  settledAt: z.string().nullable(),
})
export type Decision = z.infer<typeof Decision>

/** The longest time for which a decision can wait. */
export const maxUndoSeconds = 60

export const UndoSeconds = z
  .number()
  .int()
  .min(0)
  .max(maxUndoSeconds)
  .default(0)
  .describe('Seconds until the decision takes effect; the operator can take it back until then')

/** The field of a gate or a question with the decisions about it that wait, or that could not take effect. */
export const Decisions = z
  .array(Decision)
  .optional()
  .describe('Present if a decision waits to take effect, or could not take effect')

export const decisionOperations = {
  undo: operation({
    name: 'decision.undo',
    summary: 'Take back a decision that has not taken effect',
    ...decisionEndpoints.undo,
    input: z.strictObject({
      target: z.string().min(1).max(64).describe('A gate, a question, a run (id or prefix) or a decision'),
    }),
    output: Decision.extend({ confirmation: z.string().describe('What waits for a decision again, in a sentence') }),
    allow: ['operator'],
  }),
}
