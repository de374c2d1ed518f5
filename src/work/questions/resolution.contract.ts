import { z } from 'zod'

import type { Brief } from '../briefs/contract.ts'
import { type Question, takesOwnWords } from './contract.ts'

/** The decision of a seat about a question that was handed to it. */
export const Resolution = z.object({
  decision: z
    .enum(['answer', 'hand_up'])
    .describe('answer: the brief continues with your answer; hand_up: the decision is not yours'),
  answer: z.string().max(10_000).optional().describe('The key of an option, or your own words'),
  reason: z.string().trim().min(1).max(2_000),
})
export type Resolution = z.infer<typeof Resolution>

/** The step of a brief that asks a seat. */
export const seatStep = 'resolve'

/** The beginning of the keys of briefs that ask a seat. No other brief has it: a plan cannot name a key with a colon. */
export const seatKey = 'resolve:qst_'

/**
 * Reports whether a brief asks the holder of a seat to answer a question. The engine makes it and decides about it
 * itself, in the same way for every playbook.
 */
export const asksSeat = ({ key }: Pick<Brief, 'key'>): boolean => key.startsWith(seatKey)

/** Returns the faults of a seat's decision, for its author. */
export function faultsOfResolution(question: Question | undefined, { decision, answer = '' }: Resolution): string[] {
  if (decision === 'hand_up' || question === undefined) return []
  const given = answer.trim()
  if (given === '') return ['the decision "answer" needs text in "answer"']
  const chosen = question.options.find(({ key, label }) => key === given || label === given)
  if (chosen !== undefined && isOperators(chosen.key))
    return [`"${chosen.key}" is only the operator’s to choose: hand it up`]
  if (chosen === undefined && !takesOwnWords(question))
    return [`"answer" is one of the options: ${question.options.map(({ key }) => key).join(', ')}`]
  return []
}

/** Giving up ends the run, and an operation is allowed with the rights of the operator. */
export const isOperators = (key: string): boolean => key === 'abandon' || key === 'allow'
