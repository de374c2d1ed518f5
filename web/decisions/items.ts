import { type GateView, operator } from '../../src/work/gates/contract.ts'
import type { Question } from '../../src/work/questions/contract.ts'
import type { AskedQuestion } from './question-facts.tsx'

/** A gate or question that a run cannot pass without the operator. */
export type PendingDecision =
  | { kind: 'gate'; id: string; since: string; gate: GateView }
  | { kind: 'question'; id: string; since: string; question: AskedQuestion }

/** Returns the pending decisions, oldest first; those of the same moment have a stable order. */
export const pendingDecisions = (gates: readonly GateView[], questions: readonly AskedQuestion[]): PendingDecision[] =>
  [
    ...gates
      .filter((gate) => isPending(gate) && isOperators(gate))
      .map((gate) => ({ kind: 'gate' as const, id: gate.id, since: gate.pendingSince, gate })),
    ...questions
      // One that somebody below the operator has comes to her when it arrives.
      .filter((question) => isOpen(question) && question.status !== 'with_lead')
      .map((question) => ({ kind: 'question' as const, id: question.id, since: question.createdAt, question })),
  ].toSorted(compareByAge)

export const compareByAge = (a: PendingDecision, b: PendingDecision): number =>
  a.since.localeCompare(b.since) || a.id.localeCompare(b.id)

export const isPending = (gate: Pick<GateView, 'status'>): boolean => gate.status === 'pending'

/** Gates that tiers decide among themselves do not wait for the operator. */
const isOperators = (gate: Pick<GateView, 'approver'>): boolean => gate.approver === operator

export const isOpen = (question: Pick<Question, 'status'>): boolean =>
  question.status !== 'answered' && question.status !== 'withdrawn'

/** Returns the number of pending questions of each report that has several, by its attempt. */
export function openSets(items: readonly PendingDecision[]): ReadonlyMap<string, number> {
  const sets = new Map<string, number>()
  for (const item of items)
    if (item.kind === 'question' && item.question.attemptId !== null && isOpen(item.question))
      sets.set(item.question.attemptId, (sets.get(item.question.attemptId) ?? 0) + 1)
  return new Map([...sets].filter(([, size]) => size > 1))
}

/** Returns the brief that the decision concerns, if there is one. */
export const briefOf = (item: PendingDecision): string | null => {
  if (item.kind === 'question') return item.question.briefId
  const { boundary } = item.gate
  return boundary.startsWith('brief:') ? boundary.slice('brief:'.length) : null
}
