import type { EventKind } from '../../src/events/contract.ts'
import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { RunStatus } from '../../src/work/runs/contract.ts'
import { clockTime, counted, words } from '../text.ts'

/** Four states have a colour, each with its own shape; the two quiet ones are grey. */
export type Tone = 'waiting' | 'working' | 'good' | 'bad' | 'idle' | 'off'

export interface State {
  tone: Tone
  /** One line, present tense. */
  says: string
}

/** A sign before its words. Drawn, because fonts show ⏸ as an emoji or not at all. */
export function Sign({ tone }: { tone: Tone }) {
  return (
    <svg
      className={`sign tone-${tone}`}
      viewBox="0 0 12 12"
      width="12"
      height="12"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[tone]} />
    </svg>
  )
}

export function Stated({ state }: { state: State }) {
  return (
    <span className={`stated tone-${state.tone}`}>
      <Sign tone={state.tone} />
      {state.says}
    </span>
  )
}

const shapes: Record<Tone, string> = {
  waiting: 'M4 2.5v7M8 2.5v7',
  working: 'M10.2 6a4.2 4.2 0 1 1-1.3-3M10.4 1v2.6H7.8',
  good: 'M2 6.6 4.7 9.4 10 2.8',
  bad: 'M2.8 2.8l6.4 6.4M9.2 2.8 2.8 9.2',
  idle: 'M6 6h.01',
  off: 'M3 6h6',
}

const runTones: Record<RunStatus, Tone> = {
  planning: 'working',
  running: 'working',
  gated: 'waiting',
  paused: 'waiting',
  accepting: 'waiting',
  done: 'good',
  failed: 'bad',
  cancelled: 'off',
}

export const runState = (status: RunStatus): State => ({ tone: runTones[status], says: status })

const briefTones: Record<Brief['status'], Tone> = {
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

const briefWords: Partial<Record<Brief['status'], string>> = {
  completion_drive_review: 'reviewing its own work',
  ready_for_verification: 'evidence being checked',
}

/** A brief's status, why it is not further, and how often it was tried again. */
export function briefState(brief: Brief): State {
  const says =
    brief.verify === 'agent' && brief.status === 'ready_for_verification'
      ? 'being verified'
      : (briefWords[brief.status] ?? words(brief.status))
  const because = reasonOf(brief)
  const again = retriesOf(brief)
  const held = brief.status === 'pending' && brief.heldBy !== null && brief.heldBy !== 'dependencies'
  return {
    tone: held ? 'waiting' : briefTones[brief.status],
    says: [because === null ? says : `${says}: ${because}`, ...again].join(' · '),
  }
}

function reasonOf(brief: Brief): string | null {
  if (brief.status === 'failed' || brief.status === 'blocked') return brief.failure
  if (brief.status !== 'pending') return null
  if (brief.heldBy !== null && brief.heldBy !== 'dependencies') return holdWords(brief.heldBy)
  if (brief.unmetDependencies > 0) return `after ${counted(brief.unmetDependencies, 'other brief')}`
  return brief.attempts > 0 ? 'to be tried again' : null
}

/** `retry 1/3` after failed evidence, `rework 1/3` after a failing verdict; each has a limit of its own. */
export const retriesOf = (brief: Brief): string[] => [
  ...(brief.retriesUsed > 0 ? [`retry ${brief.retriesUsed}/${brief.retryBudget}`] : []),
  ...(brief.verificationFailures > 0 ? [`rework ${brief.verificationFailures}/${brief.verificationLimit}`] : []),
  ...(brief.crashRetries > 0 ? [`relaunch ${brief.crashRetries}/${brief.crashLimit}`] : []),
]

/** What a brief waits for, in words. */
export function holdWords(heldBy: string): string {
  const [why = '', what = ''] = heldBy.split(/:(.*)/s)
  switch (why) {
    case 'dependency_failed':
      return 'a brief it needs failed'
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
      return what === '' || what === 'all' ? 'everything is stopped' : 'its organisation is stopped'
    case 'provider':
      return providerWords(what)
    case 'budget':
      return what === '' ? 'the budget is used up' : `the budget of its ${what.split(':')[0]} is used up`
    default:
      return `held by ${words(heldBy)}`
  }
}

/** `anthropic until 2026-01-01T12:40:00.000Z` */
function providerWords(held: string): string {
  const [name = '', until] = held.split(' until ')
  const who = name === '' ? 'its provider' : name
  return until === undefined
    ? `${who} takes no launches`
    : `${who} takes no launches until ${clockTime(Date.parse(until))}`
}

const outcomeWords: Record<NonNullable<Attempt['outcome']>, State> = {
  ok: { tone: 'good', says: 'ok' },
  partial_output: { tone: 'bad', says: 'partial output' },
  bad_output: { tone: 'bad', says: 'bad output' },
  blocked: { tone: 'waiting', says: 'blocked' },
  crash: { tone: 'bad', says: 'crashed' },
  timeout: { tone: 'bad', says: 'timed out' },
  budget: { tone: 'bad', says: 'over budget' },
  interrupted: { tone: 'off', says: 'interrupted' },
}

export function attemptState(attempt: Attempt): State {
  if (attempt.outcome !== null) return outcomeWords[attempt.outcome]
  return { tone: 'working', says: attempt.status }
}

const eventTones: Partial<Record<EventKind, Tone>> = {
  spawned: 'working',
  assigned: 'working',
  completed: 'good',
  session_complete: 'good',
  gate_pending: 'waiting',
  gate_paused: 'waiting',
  gate_approved: 'good',
  gate_resumed: 'good',
  gate_rejected: 'bad',
  question_asked: 'waiting',
  question_answered: 'good',
  budget_warning: 'waiting',
  provider_held: 'waiting',
  stop_set: 'bad',
  escalated: 'waiting',
  pr_opened: 'waiting',
  branch_merged: 'good',
  merged: 'good',
  merge_conflict: 'bad',
  exec_started: 'working',
  failed: 'bad',
  declined: 'bad',
  retried: 'working',
  brief_cancelled: 'off',
}

/** What a line of the log is about. The engine ends its own words with the sign; an agent's words decide nothing. */
export function lineTone(line: { kind: EventKind; code: string | null; by: string; message: string }): Tone {
  if (line.kind === 'log') return 'idle'
  if (line.code === 'FAIL' || (line.kind === 'evidence_checked' && line.message.includes('✗'))) return 'bad'
  if (line.kind === 'verdict') return line.message.startsWith('pass') ? 'good' : 'bad'
  if (/^(evidence_checked|run_status)$/.test(line.kind) && line.message.includes('✓')) return 'good'
  return eventTones[line.kind] ?? 'idle'
}
