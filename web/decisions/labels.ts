import type { GateView } from '../../src/work/gates/contract.ts'
import type { Question } from '../../src/work/questions/contract.ts'
import type { State } from '../parts/state.tsx'

export const gateNames: Readonly<Record<string, string>> = {
  plan: 'The plan is ready',
  acceptance: 'The result is ready',
  escalation: 'A brief is stuck again',
  manual: 'The run is paused',
  merge: 'Changes are ready to be merged',
  t1_plan: 'The plan is ready',
  t2_lead: 'The boundaries are ready',
  t2_synthesis: 'The architecture is ready',
  t3_plan: 'The tasks are ready',
  t3_mesh_timeout: 'Squads did not agree in time',
  t5_verdict: 'The verdict of a squad is ready',
}

const gateStates: Record<GateView['status'], State> = {
  pending: { tone: 'waiting', text: 'waits for you' },
  approved: { tone: 'good', text: 'approved' },
  rejected: { tone: 'bad', text: 'rejected' },
  expired: { tone: 'bad', text: 'expired' },
}

/** A demonstration approves gates for the operator, and says so in the note. */
export const isSimulated = (note: string | null): boolean => note?.startsWith('Simulated:') === true

export const gateState = (gate: Pick<GateView, 'status' | 'gate'>): State =>
  gate.gate === 'manual' && gate.status === 'approved' ? { tone: 'good', text: 'resumed' } : gateStates[gate.status]

const questionStates: Record<Question['status'], State> = {
  open: { tone: 'waiting', text: 'open' },
  with_lead: { tone: 'waiting', text: 'with the lead' },
  with_operator: { tone: 'waiting', text: 'waits for you' },
  answered: { tone: 'good', text: 'answered' },
  withdrawn: { tone: 'off', text: 'withdrawn' },
}

export const questionState = ({ status }: Pick<Question, 'status'>): State => questionStates[status]

/** Returns the answer, or the label of the option that it names by key. */
export const answerText = ({ answer, options }: Pick<Question, 'answer' | 'options'>): string =>
  options.find((option) => option.key === answer)?.label ?? answer ?? ''

/** Separates the estimate of time and cost from the description of the next step. */
export function estimateOf(next: string): { follows: string; estimate: string | null } {
  const lines = next.split('\n')
  const found = lines.find((line) => line.startsWith('Estimate: '))
  return found === undefined
    ? { follows: next, estimate: null }
    : { follows: lines.filter((line) => line !== found).join('\n'), estimate: found.slice('Estimate: '.length) }
}
