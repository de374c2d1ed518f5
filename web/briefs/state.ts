import type { Attempt } from '../../src/work/attempts/contract.ts'
import { attemptText } from '../../src/kernel/attempt-state.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { State, Tone } from '../parts/state.tsx'
import { clockTime, counted, humanise } from '../text.ts'

const briefTones: Record<HeldBrief['status'], Tone> = {
  draft: 'idle',
  committed: 'idle',
  pending: 'idle',
  assigned: 'working',
  working: 'working',
  completion_drive_review: 'working',
  ready_for_verification: 'working',
  verified: 'good',
  done: 'good',
  blocked: 'waiting',
  failed: 'bad',
  cancelled: 'off',
}

const statusTexts: Partial<Record<HeldBrief['status'], string>> = {
  completion_drive_review: 'reviewing its own work',
  ready_for_verification: 'evidence being checked',
}

/** Returns the status of a brief, the reason for a wait or failure, and the number of retries. */
export function briefState(brief: HeldBrief): State {
  const text =
    brief.verify === 'agent' && brief.status === 'ready_for_verification'
      ? 'being verified'
      : (statusTexts[brief.status] ?? humanise(brief.status))
  const because = reasonOf(brief)
  const again = retriesOf(brief)
  const held = brief.status === 'pending' && brief.heldBy !== null && brief.heldBy !== 'dependencies'
  return {
    tone: held ? 'waiting' : briefTones[brief.status],
    text: [because === null ? text : `${text}: ${because}`, ...again].join(' · '),
  }
}

/** Returns the status alone, where no brief is at hand. */
export const statusState = (status: HeldBrief['status']): State => ({
  tone: briefTones[status],
  text: statusTexts[status] ?? humanise(status),
})

function reasonOf(brief: HeldBrief): string | null {
  if (brief.status === 'failed' || brief.status === 'blocked') return brief.failure
  if (brief.status !== 'pending') return null
  if (brief.heldBy !== null && brief.heldBy !== 'dependencies') return holdReason(brief.heldBy)
  if (brief.unmetDependencies > 0) return `after ${counted(brief.unmetDependencies, 'other brief')}`
  return brief.attempts > 0 ? 'waits for another attempt' : null
}

/** `retry 1/3` after failed evidence, `rework 1/3` after a failing verdict; each has a limit of its own. */
export const retriesOf = (brief: HeldBrief): string[] => [
  ...(brief.retriesUsed > 0 ? [`retry ${brief.retriesUsed}/${brief.retryBudget}`] : []),
  ...(brief.verificationFailures > 0 ? [`rework ${brief.verificationFailures}/${brief.verificationLimit}`] : []),
  ...(brief.crashRetries > 0 ? [`relaunch ${brief.crashRetries}/${brief.crashLimit}`] : []),
]

/** Describes the hold of a brief. */
export function holdReason(heldBy: string): string {
  const [kind = '', subject = ''] = heldBy.split(/:(.*)/s)
  switch (kind) {
    case 'dependency_failed':
      return 'a brief that it needs failed'
    case 'sibling_failed':
      return 'another brief of the run failed'
    case 'pause':
      return 'the run is paused'
    case 'gate':
      return 'a gate waits for you'
    case 'question':
      return 'a question waits for you'
    case 'merge':
      return 'its changes are being merged'
    case 'stop':
      return subject === '' || subject === 'all' ? 'everything is stopped' : 'its organisation is stopped'
    case 'provider':
      return providerReason(subject)
    case 'budget':
      return subject === '' ? 'the budget is used up' : `the budget of its ${subject.split(':')[0]} is used up`
    case 'budget_reserved':
      return `running agents have reserved the rest of the budget of its ${subject}`
    case 'seat':
      return `an agent works for its seat ${subject}`
    default:
      return `held by ${humanise(heldBy)}`
  }
}

/** `anthropic until 2026-01-01T12:40:00.000Z` */
function providerReason(held: string): string {
  const [name = '', until] = held.split(' until ')
  const launches = `launches on ${name === '' ? 'its provider' : name} are held`
  return until === undefined ? launches : `${launches} until ${clockTime(Date.parse(until))}`
}

const outcomeStates: Record<NonNullable<Attempt['outcome']>, State> = {
  ok: { tone: 'good', text: 'ok' },
  partial_output: { tone: 'bad', text: 'partial output' },
  bad_output: { tone: 'bad', text: 'bad output' },
  blocked: { tone: 'waiting', text: 'blocked' },
  crash: { tone: 'bad', text: 'crashed' },
  timeout: { tone: 'bad', text: 'timed out' },
  budget: { tone: 'bad', text: 'over budget' },
  interrupted: { tone: 'off', text: 'interrupted' },
}

export function attemptState(attempt: Attempt): State {
  if (attempt.outcome !== null) return outcomeStates[attempt.outcome]
  return { tone: 'working', text: attemptText(attempt) }
}
